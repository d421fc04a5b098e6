// Requests to the bench's server: one of a kind at a time, of which a newer one makes the older ones needless.

const WINDOW = crypto.randomUUID();

const GONE = "the server does not answer: schedlab edit was ended, and nothing more can be saved here. The answers are those of the scenario's text at the end of this page; what was changed since stands beside the save button";

// A request that was refused: the `kind` is that of the server, or "gone"; `state` is the scenario's, if it was sent.
class Refused extends Error {
  constructor(told, kind, state) {
    super(told);
    Object.assign(this, { kind, state });
  }
}

async function send(act, content, signal) {
  let answer;
  try {
    answer = await fetch(`do/${act}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(content), signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(GONE, "gone");
  }
  const found = await answer.json();
  if (found.error) throw new Refused(found.error, found.kind, found.state);
  return found;
}

// Asks for one part of a panel. While an answer is under way, only the newest of further questions is kept.
class Asker {
  constructor(act, hears) {
    Object.assign(this, { act, hears, next: null, running: null });
  }

  // With `isUrgent`, an answer that is under way is given up; else it is shown although a newer one will follow.
  ask(content, isUrgent) {
    this.next = content;
    this.hears.computing(true);
    if (this.running && !isUrgent) return;
    this.running?.abort();
    this.run();
  }

  async run() {
    const own = this.running = new AbortController();
    while (this.next && this.running === own) {
      const content = this.next;
      this.next = null;
      try {
        const answer = await send(this.act, content, own.signal);
        if (this.running === own) this.hears.answer(answer);
      } catch (error) {
        if (!(error instanceof Refused)) {
          if (error.name !== "AbortError") throw error;
        } else if (this.running === own && error.kind !== "obsolete") this.hears.refused(error);
      }
    }
    if (this.running !== own) return;
    this.running = null;
    this.hears.computing(false);
  }
}
