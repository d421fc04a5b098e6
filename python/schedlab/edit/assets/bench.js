// The bench: the state of the scenario, what the user changes, and the panels that follow.

const VIEW = `schedlab edit ${location.pathname}`;

class Bench {
  constructor(known) {
    Object.assign(this, { state: null, changes: [], timelines: [], panels: [], queue: [], sending: false });
    const kept = JSON.parse(sessionStorage.getItem(VIEW) ?? "{}");
    this.view = { beside: "", task: undefined, mode: null, until: null, ...kept.view };
    // By path: texts that were refused, and texts that are being written.
    this.drafts = kept.drafts ?? {};
    this.typed = kept.typed ?? {};
    this.words = Object.fromEntries(known.times);
    this.at = (id) => document.getElementById(id);
    this.machine = new MachineForm(this, this.at("machine"), known);
    this.tasks = new TaskForm(this, this.at("rows"), known.times);
    this.listen();
  }

  listen() {
    const on = (id, act) => this.at(id).addEventListener("click", act);
    on("undo", () => this.act("undo"));
    on("redo", () => this.act("redo"));
    on("save", () => this.save());
    on("forget", () => this.forget());
    on("add", () => this.act("add", { label: "a task more" }));
    this.at("tasks").addEventListener("submit", (event) => event.preventDefault());
    this.at("steps-of").addEventListener("change", (event) => this.chooseTaskNamed(event.target.value || null));
    this.other = new OtherField(this, this.at("other"));
    // Another window may have changed the scenario meanwhile.
    window.addEventListener("focus", () => this.look());
    document.addEventListener("keydown", (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
      const act = { z: event.shiftKey ? "redo" : "undo", y: "redo", s: "save" }[event.key.toLowerCase()];
      // A text that is being written has its own undo.
      if (!act || (act !== "save" && this.isWritten(event.target))) return;
      event.preventDefault();
      if (act === "save") this.save(); else this.act(act);
    });
  }

  fields() { return [...this.tasks.rows.flatMap((row) => Object.values(row.fields)), this.machine.processors]; }

  isWritten(input) {
    const field = this.fields().find((one) => one.input === input);
    return field !== undefined && input.value !== field.shown;
  }

  keep() {
    const mode = this.timelines[0]?.mode ?? this.view.mode;
    this.view.mode = mode;
    sessionStorage.setItem(VIEW, JSON.stringify({ view: this.view, drafts: this.drafts, typed: this.typed }));
    // What a field shows and the scenario does not have is said where it is saved.
    const waits = [...Object.values(this.drafts).map(({ label, text }) => `${label} ${text || "(empty)"}`),
      ...this.fields().filter(({ path }) => path in this.typed && !(path in this.drafts)).map(({ label, path }) => `${label} ${this.typed[path] || "(empty)"}`)];
    this.at("pending").textContent = waits.length ? `not applied: ${waits.join("; ")}` : "";
    this.at("forget").hidden = !waits.length;
  }

  // Saves what the fields show: what is being written is committed before.
  save() {
    const written = this.fields().filter(({ path }) => path in this.typed);
    for (const field of written) field.commit(field.input.value);
    const refused = written.find(({ path }) => this.drafts[path]?.value === undefined && path in this.drafts);
    if (refused) this.trouble(this.unsaved(refused)); else this.act("save");
  }

  unsaved({ label }) { return `not saved, because ${label} was refused: correct it, or press Escape in its field, and save again`; }

  forget() {
    Object.assign(this, { drafts: {}, typed: {} });
    this.other.field.clear();
    for (const field of this.fields()) field.committed = field.input.value;
    this.machine.show(this.state);
    this.tasks.show(this.state);
    this.keep();
  }

  // Texts follow their tasks: to new names, and away with tasks that are gone.
  follow(before, after) {
    const paths = new Set(after.rows.map(({ path }) => path));
    const renamed = before.rows.length === after.rows.length ? before.rows.map(({ path }, number) => [path, after.rows[number].path]) : [];
    for (const texts of [this.drafts, this.typed]) {
      for (const [path, kept] of Object.entries(texts)) {
        const row = before.rows.find((one) => path.startsWith(`${one.path}.`));
        if (!row) continue;
        const now = paths.has(row.path) ? row.path : renamed.find(([old]) => old === row.path)?.[1];
        if (now === row.path) continue;
        delete texts[path];
        if (now) texts[`${now}${path.slice(row.path.length)}`] = kept;
      }
    }
  }

  async begin() {
    const answer = await fetch("state");
    this.takes(await answer.json());
  }

  async look() {
    try {
      const state = await (await fetch("state")).json();
      if (!this.sending && !this.changes.length && state.version !== this.state?.version) this.takes(state);
      this.isGone(false);
    } catch { this.isGone(true); }
  }

  // Marks answers that nothing can bring up to date any more.
  isGone(is) {
    document.body.classList.toggle("gone", is);
    for (const panel of this.panels) panel.aged.hidden = !is;
    if (is) this.trouble(GONE);
  }

  // ---- the state ----

  takes(state) {
    this.state = state;
    this.changes = [];
    this.at("title").textContent = state.title || state.file.split("/").at(-1);
    this.at("file").textContent = state.file;
    this.at("notice").textContent = state.notice;
    this.at("notice").hidden = !state.notice;
    for (const act of ["undo", "redo"]) {
      this.at(act).disabled = state[act] === null;
      this.at(act).title = state[act] === null ? `nothing to ${act}` : `${act}: ${state[act]}`;
    }
    this.at("saved").textContent = state.is_saved ? "saved" : "not saved";
    this.at("text").textContent = state.text;
    const known = this.view.task === null || this.drawnTasks().includes(this.view.task) || state.rows.some(({ name }) => name === this.view.task);
    if (!known || this.view.task === undefined) this.view.task = state.rows[0].first;
    this.machine.show(state);
    this.tasks.show(state);
    this.chooses();
    this.arrange();
    this.refresh(["schedule", "proof"], true);
  }

  drawnTasks() { return this.timelines[0]?.comparison.tasks.map(({ name }) => name) ?? []; }

  schedulerShown() { return this.state.scheduler; }

  // Makes as many panels as schedulers are shown.
  arrange() {
    const number = this.view.beside ? 2 : 1;
    while (this.panels.length > number) this.panels.pop().close();
    while (this.panels.length < number) {
      const panel = new Panel(this, this.panels.length);
      this.panels.push(panel);
      this.at("panels").append(panel.section);
      this.at("proofs").append(panel.proofSection);
    }
    this.at("proofs").dataset.columns = number;
    this.keep();
  }

  refresh(parts, isUrgent) { for (const panel of this.panels) panel.ask(parts, isUrgent); }

  // ---- changes ----

  // Changes of a gesture that is still under way: answers follow, the scenario does not.
  preview(task, kind, ns) {
    const row = this.state.rows.indexOf(this.rowOf(task)), text = exactDuration(ns);
    this.changes = [[this.rowOf(task).fields[kind].path, text]];
    this.tasks.preview(row, kind, text);
    this.refresh(["schedule", "proof"], false);
  }

  dropPreview() {
    if (!this.changes.length) return;
    this.changes = [];
    this.tasks.show(this.state);
    this.refresh(["schedule", "proof"], true);
  }

  set(task, kind, ns, gesture) {
    const row = this.rowOf(task), number = this.state.rows.indexOf(row), { path, word } = row.fields[kind];
    this.tasks.preview(number, kind, exactDuration(ns));
    this.commit([[path, exactDuration(ns)]], `${word} of ${row.name}`, gesture, this.tasks.rows[number].fields[kind]);
    for (const timeline of this.timelines) timeline.redraw();
  }

  // The value in nanoseconds that is on its way to the server, or is being dragged.
  wanted(task, kind) {
    const path = this.rowOf(task)?.fields[kind].path;
    const changes = [...this.changes, ...this.queue.flatMap((one) => one.content.changes ?? [])].filter(([changed]) => changed === path);
    const parts = durationParts(changes.at(-1)?.[1] ?? "");
    return parts && SIZES[parts.unit] ? Math.round(parts.number * SIZES[parts.unit]) : null;
  }

  commit(changes, label, gesture, field) {
    const last = this.queue.at(-1);
    // Of one gesture, only the newest value waits.
    if (gesture && last && !last.isSent && last.content.gesture === gesture) last.content.changes = changes;
    else this.queue.push({ act: "edit", content: { changes, label, gesture: gesture ?? null }, field });
    this.sendAll();
  }

  act(act, content = {}) {
    if (this.at(act)?.disabled) return;
    this.queue.push({ act, content });
    this.sendAll();
  }

  remove(number) {
    const { name } = this.state.rows[number];
    this.act("remove", { task: name, label: `without ${name}` });
  }

  // Says on the page whether all that is shown belongs to the numbers shown, and these are the server's.
  mark() {
    const waits = this.sending || this.queue.length || this.panels.some((panel) => panel.isComputing) || !this.panels.length;
    document.body.dataset.settled = waits ? "no" : "yes";
  }

  // Sends what waits, one after another, because each is about the state that the one before it made.
  async sendAll() {
    if (this.sending) return;
    this.sending = true;
    this.mark();
    while (this.queue.length) {
      const one = this.queue[0];
      one.isSent = true;
      try {
        const state = await send(one.act, { ...one.content, version: this.state.version });
        this.queue.shift();
        for (const [path] of one.content.changes ?? []) delete this.drafts[path];
        if (one.act === "read") this.drafts = {};
        this.isGone(false);
        this.trouble("");
        this.follow(this.state, state);
        if (["edit", "add", "remove"].includes(one.act)) this.tryAgain();
        if (!this.queue.length) this.takes(state); else this.state = state;
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        this.queue.shift();
        this.refused(error, one);
      }
    }
    this.sending = false;
    this.mark();
  }

  // What was refused may be possible after another change: before anything else that waits, as saving.
  tryAgain() {
    const waiting = new Set(this.queue.flatMap(({ content }) => (content.changes ?? []).map(([path]) => path)));
    const again = Object.entries(this.drafts).filter(([path, { value }]) => value !== undefined && !waiting.has(path));
    this.queue = this.queue.filter(({ isAgain }) => !isAgain);
    this.queue.unshift(...again.map(([path, { value, label }]) => ({ act: "edit", isAgain: true, content: { changes: [[path, value]], label, gesture: null } })));
  }

  // Two fields of one table may be possible only together, such as a scheduler and its protocol.
  tryTogether(changes, label) {
    const table = (path) => this.state.rows.find((row) => path.startsWith(`${row.path}.`))?.path ?? "";
    const [[own]] = changes;
    const others = Object.entries(this.drafts).filter(([path, { value }]) => path !== own && value !== undefined && table(path) === table(own));
    if (others.length) this.queue.unshift({ act: "edit", isAgain: true, content: { changes: [...others.map(([path, { value }]) => [path, value]), ...changes], label, gesture: null } });
  }

  refused(error, { act, content, field, isAgain }) {
    if (isAgain) {
      // The sentence may be another one now; of several fields, each has its own.
      const [[path]] = content.changes;
      if (error.kind === "input" && content.changes.length === 1 && this.drafts[path]) this.drafts[path].told = error.message;
      const state = error.state ?? this.state;
      if (error.kind === "gone") this.isGone(true);
      else if (!this.queue.length) this.takes(state); else this.state = state;
      return;
    }
    const isInput = act === "edit" && field && error.kind === "input";
    if (act === "edit" && field) {
      const [[path, value]] = content.changes;
      this.changes = [];
      this.keepDraft(path, value ?? "", error.message, field, value);
      if (this.queue.some((one) => one.act === "save")) {
        this.queue = this.queue.filter((one) => one.act !== "save");
        if (isInput) this.trouble(this.unsaved(field));
      }
      if (isInput) this.tryTogether(content.changes, content.label);
    }
    if (isInput) return this.takes(this.state);
    const isFile = act === "save" && error.kind === "conflict" && error.state?.version === this.state.version;
    if (error.kind === "gone") return this.isGone(true);
    this.trouble(error.message, isFile);
    if (error.state) this.takes(error.state);
  }

  keepDraft(path, text, told, field, value) {
    this.drafts[path] = { text, told, value, label: field.label };
    this.keep();
    field.refuse(text, told);
  }

  dropDraft(path) {
    delete this.drafts[path];
    delete this.typed[path];
    this.keep();
  }

  trouble(told, isFile) {
    const place = this.at("trouble");
    place.hidden = !told;
    const button = (words, act, content) => element("button", { type: "button", onclick: () => this.act(act, content) }, words);
    const ways = isFile ? [button("overwrite the file", "save", { over: true }), button("read the file", "read", {}), element("button", { type: "button", onclick: () => this.trouble("") }, "neither")] : [];
    place.replaceChildren(element("p", {}, told), element("p", { class: "tools" }, ...ways));
  }

  // ---- what is shown ----

  setBeside(name) {
    this.view.beside = name;
    this.arrange();
    for (const timeline of this.timelines) timeline.redraw();
    this.panels[1]?.ask(["schedule", "proof"], true);
  }

  rowOf(task) { return this.state.rows.find(({ tasks }) => tasks.includes(task)); }

  isChosen(task) {
    const name = this.view.task;
    return this.timelines[0]?.comparison.tasks[task]?.name === name || this.rowOf(task)?.name === name;
  }

  chooseTask(task) { this.chooseTaskNamed(this.timelines[0].comparison.tasks[task].name); }

  chooseRow(number) {
    const { name, tasks } = this.state.rows[number];
    this.chooseTaskNamed(this.drawnTasks()[tasks[0]] ?? name);
  }

  chooseTaskNamed(name) {
    if (this.view.task === name) return;
    this.view.task = name;
    this.keep();
    this.chooses();
    this.refresh(["proof"], true);
    for (const timeline of this.timelines) timeline.redraw();
  }

  chooses() {
    const { rows } = this.state, select = this.at("steps-of");
    const drawn = this.drawnTasks(), names = drawn.length ? drawn : rows.map(({ name }) => name);
    select.replaceChildren(element("option", { value: "" }, "all tasks"), ...names.map((name) => element("option", { value: name }, name)));
    select.value = this.view.task ?? "";
    this.tasks.mark(rows.findIndex(({ name, tasks }) => name === this.view.task || tasks.some((task) => drawn[task] === this.view.task)));
  }

  drawMore() {
    this.view.until = Math.min(2 * this.timelines[0].comparison.drawn_until_ns, this.panels[0].answered.schedule.horizon_ns);
    this.refresh(["schedule"], true);
  }

  // After a schedule was drawn: both end at one time, and one of them has the controls.
  drew() {
    const ends = this.panels.map(({ timeline }) => timeline?.comparison.drawn_until_ns).filter((end) => end !== undefined);
    for (const timeline of this.timelines) timeline.model.end = Math.max(1, Math.min(...ends));
    const [first] = this.timelines;
    if (this.controls !== first) {
      this.controls = first;
      const more = element("button", { type: "button", id: "more", onclick: () => this.drawMore() }, "draw more");
      const tools = first.tools();
      tools.querySelector(".hint").before(element("span", { class: "group" }, more));
      this.at("controls").replaceChildren(tools);
    }
    const { drawn_until_ns: drawn } = first.comparison, horizon = this.panels[0].answered.schedule?.horizon_ns ?? drawn;
    this.at("more").parentElement.hidden = drawn >= horizon;
    this.at("more").title = `the schedule is drawn until ${duration(drawn)}, and simulated until ${duration(horizon)}`;
    const names = this.drawnTasks().join("\n");
    if (names !== this.named) {
      this.named = names;
      this.chooses();
    }
    this.keep();
  }

  // The line that stays in view on a narrow page.
  sums() {
    this.at("sum").replaceChildren(...this.panels.map((panel) => element("span", {}, `${panel.scheduler ?? this.schedulerShown()} `, ...[...panel.chip.childNodes].map((chip) => chip.cloneNode(true)), ` ${panel.late ?? ""}`)));
  }

  took() {
    const longest = Math.max(...this.panels.flatMap(({ answered }) => Object.values(answered).map(({ ms }) => ms)));
    this.at("took").textContent = `The last answers took at most ${longest} ms.`;
  }
}

const bench = new Bench(JSON.parse(document.getElementById("known").textContent));
bench.begin();
