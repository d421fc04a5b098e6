// Fields of the scenario and of its tasks. What is refused is said below its field, which keeps what was typed.

class Field {
  constructor(bench, input, label, kind) {
    Object.assign(this, { bench, input, label, kind, shown: "" });
    this.fault = element("p", { class: "fault", id: `fault-${Field.made += 1}`, role: "alert", hidden: "" });
    this.cell = element("div", { class: "cell" }, input, this.fault);
    input.setAttribute("aria-label", label);
    // Enter has committed already what the browser tells again when the field is left.
    input.addEventListener("change", () => { if (!this.isLoose && !(this.committed === input.value && this.path in this.bench.drafts)) this.commit(input.value); });
    input.addEventListener("input", () => this.types());
    input.addEventListener("keydown", (event) => this.key(event));
  }

  // Keeps what is being written, for the case of a reload.
  types() {
    const { typed } = this.bench;
    if (this.isLoose || !this.path) return;
    if (this.input.value === (this.bench.drafts[this.path]?.text ?? this.shown)) delete typed[this.path]; else typed[this.path] = this.input.value;
    this.bench.keep();
  }

  // Shows a value of the scenario, unless the field has a text that was refused, or is being written.
  show(path, text, placeholder, isNeeded) {
    Object.assign(this, { path, shown: text, placeholder, isNeeded });
    this.input.placeholder = placeholder;
    // A value that is wider than its field is read whole under the pointer.
    this.input.title = text || placeholder;
    const draft = this.bench.drafts[path];
    const typed = this.bench.typed[path];
    if (draft) this.refuse(typed ?? draft.text, draft.told); else this.clear();
    if (typed !== undefined) this.input.value = typed;
    if (draft || typed !== undefined) return;
    if (document.activeElement !== this.input || this.committed === this.input.value) this.input.value = text;
    else if (this.before === this.input.value) this.input.value = text;
    this.before = text;
  }

  clear() {
    this.fault.hidden = true;
    this.input.removeAttribute("aria-invalid");
    this.input.removeAttribute("aria-describedby");
  }

  refuse(text, told) {
    if (document.activeElement !== this.input) this.input.value = text;
    this.fault.textContent = told;
    this.fault.hidden = false;
    this.input.setAttribute("aria-invalid", "true");
    this.input.setAttribute("aria-describedby", this.fault.id);
  }

  commit(text, gesture) {
    const value = this.kind === "time" ? withUnit(text, this.shown || this.placeholder) : text.trim();
    this.committed = this.input.value;
    delete this.bench.typed[this.path];
    if (!value && this.isNeeded) return this.bench.keepDraft(this.path, text, `needs a value, such as ${this.shown || "2.5 ms"}`, this);
    if (value === this.shown) {
      this.bench.dropDraft(this.path);
      this.clear();
      this.input.value = this.shown;
      return;
    }
    this.bench.commit([[this.path, value || null]], this.label, gesture, this);
  }

  key(event) {
    if (event.key === "Escape") {
      this.bench.dropDraft(this.path);
      this.clear();
      this.input.value = this.shown;
    }
    if (event.key === "Enter" && this.input.tagName === "INPUT") {
      event.preventDefault();
      this.commit(this.input.value);
    }
    const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!by || this.kind === "word" || this.input.readOnly) return;
    const text = this.kind === "count" ? String(Math.max(1, Number(this.input.value) + by)) : stepped(this.input.value || this.placeholder, by, this.label.startsWith("offset"));
    if (!text || text === "NaN") return;
    event.preventDefault();
    this.input.value = text;
    this.commit(text, `keys ${this.path}`);
  }
}
Field.made = 0;

// The fields of the machine.
class MachineForm {
  constructor(bench, form, known) {
    const choice = (id, names) => element("select", { id }, ...names.map((name) => element("option", { value: name }, name)));
    const processors = element("input", { id: "processors", type: "text", inputmode: "numeric", autocomplete: "off" });
    this.bench = bench;
    this.processors = new Field(bench, processors, "processors", "count");
    this.scheduler = new Field(bench, choice("scheduler", known.schedulers), "scheduler", "word");
    this.protocol = new Field(bench, choice("protocol", known.protocols), "protocol", "word");
    this.deadlines = new Field(bench, choice("deadlines", known.deadlines), "rule for deadlines", "word");
    this.beside = choice("beside", ["", ...known.schedulers]);
    this.beside.options[0].textContent = "nothing";
    this.beside.addEventListener("change", () => bench.setBeside(this.beside.value));
    const labelled = (word, id, cell) => element("div", { class: "labelled" }, element("label", { for: id }, word), cell);
    form.append(labelled("processors", "processors", this.processors.cell), labelled("scheduler", "scheduler", this.scheduler.cell),
      labelled("beside it", "beside", element("div", { class: "cell" }, this.beside)), labelled("locking protocol", "protocol", this.protocol.cell), labelled("rule for deadlines", "deadlines", this.deadlines.cell));
    form.append(...[this.processors, this.scheduler, this.protocol, this.deadlines].map(({ fault }) => fault));
    form.addEventListener("submit", (event) => event.preventDefault());
    for (const field of [this.processors, this.scheduler, this.protocol, this.deadlines]) field.input.removeAttribute("aria-label");
  }

  show(state) {
    for (const [field, name] of [[this.scheduler, state.scheduler], [this.protocol, state.protocol]]) {
      if (![...field.input.options].some((option) => option.value === name)) field.input.append(element("option", { value: name }, name));
    }
    this.processors.show("platform.processors", String(state.processors), "", true);
    this.scheduler.show("scheduler", state.scheduler, "", true);
    this.protocol.show("protocol", state.protocol, "", true);
    this.deadlines.show("deadlines", state.deadlines, "", true);
    this.beside.value = this.bench.view.beside;
  }
}

// Any other field, by its path as in `--set`.
class OtherField {
  constructor(bench, form) {
    const path = form.querySelector("#other-path"), value = form.querySelector("#other-value");
    this.field = new Field(bench, value.cloneNode(), "value", "word");
    value.replaceWith(this.field.input);
    form.append(this.field.fault);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = this.field.input.value.trim(), to = path.value.trim();
      this.field.clear();
      Object.assign(this.field, { path: to, label: to });
      if (to) bench.commit([[to, text || null]], to, null, this.field);
    });
    this.field.commit = () => form.requestSubmit();
    this.field.isLoose = true;
  }
}

// A row for each task of the file.
class TaskForm {
  constructor(bench, place, times) {
    Object.assign(this, { bench, place, times, rows: [], words: new Set(["name", "priority"]), narrow: matchMedia("(max-width: 46rem)") });
    this.narrow.addEventListener("change", () => this.placeFaults());
  }

  show(state) {
    const columns = [["name", "name"], ...this.times, ["priority", "priority"]];
    if (state.rows.length !== this.rows.length) this.build(state.rows.length, columns);
    state.rows.forEach((given, number) => this.fill(this.rows[number], given));
  }

  build(number, columns) {
    this.rows = Array.from({ length: number }, (_, index) => {
      const fields = Object.fromEntries(columns.map(([name, word]) => [name, new Field(this.bench, element("input", { type: "text", size: name === "name" ? 12 : 7, autocomplete: "off", spellcheck: "false", "data-field": name }), word, this.words.has(name) ? "word" : "time")]));
      const remove = element("button", { type: "button", class: "remove", onclick: () => this.bench.remove(index) }, "×");
      const cells = columns.map(([name, word]) => element("div", { class: `field ${name}` }, element("span", { class: "word", "aria-hidden": "true" }, word), fields[name].cell));
      const row = element("div", { class: "row", role: "group" }, ...cells, remove);
      row.addEventListener("focusin", () => this.bench.chooseRow(index));
      return { fields, remove, row, note: fields.name.cell.appendChild(element("small", { class: "copies" })) };
    });
    const head = element("div", { class: "row head", "aria-hidden": "true" }, ...columns.map(([name, word]) => element("span", { class: name }, word)), element("span"));
    this.place.replaceChildren(head, ...this.rows.map(({ row }) => row));
    this.placeFaults();
  }

  // On a narrow page, what is refused is said in its field's own cell; else below the row, which has the room.
  placeFaults() {
    for (const { fields, row } of this.rows) {
      for (const { cell, fault } of Object.values(fields)) (this.narrow.matches ? cell : row).append(fault);
    }
  }

  fill({ fields, remove, row, note }, given) {
    row.setAttribute("aria-label", given.name);
    row.style.setProperty("--hue", fillOf(given.tasks[0]));
    remove.setAttribute("aria-label", `remove ${given.name}`);
    remove.title = `remove ${given.name}`;
    note.textContent = given.tasks.length > 1 ? `${given.tasks.length} copies` : "";
    const shown = (field, name, text, placeholder, isNeeded) => {
      field.label = `${field.word ??= field.label} of ${given.name}`;
      field.input.setAttribute("aria-label", field.label);
      field.show(`${given.path}.${name}`, text, placeholder, isNeeded);
    };
    shown(fields.name, "name", given.name, "", true);
    for (const [name] of this.times) {
      const { text, ns, fixed } = given.fields[name];
      fields[name].input.readOnly = fixed;
      fields[name].input.title = fixed ? "the cost of a program is the sum of its parts" : "";
      shown(fields[name], name, text, exactDuration(ns), name === "wcet" || name === "period");
    }
    shown(fields.priority, "priority", given.priority ?? "", "", false);
  }

  // Shows a value that is being dragged.
  preview(row, name, text) { this.rows[row].fields[name].input.value = text; }

  mark(chosen) { this.rows.forEach(({ row }, number) => row.classList.toggle("chosen", number === chosen)); }
}
