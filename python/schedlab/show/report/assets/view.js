// A page of one schedule, or of two that are moved together: found jobs are shown in all of them.

const view = JSON.parse(document.getElementById("view").textContent);
const timelines = [];
view.traces.forEach((trace, number) => new Timeline(document.querySelector(`[data-timeline="${number}"]`), trace, trace, timelines));
document.getElementById("controls").replaceChildren(timelines[0].tools());

// The job that a text names: "T2J3", "control 3", or "control" for the drawn job of a task that was latest or closest
// to its deadline. A word is first taken for the name of a task, then for its number.
function jobNamed(text, timeline) {
  const { tasks } = timeline.comparison;
  const taskOf = (word) => {
    const named = tasks.findIndex((task) => task.name === word), number = /^T?(\d+)$/.exec(word);
    return named >= 0 ? named : number && Number(number[1]) < tasks.length ? Number(number[1]) : -1;
  };
  const id = /^T(\d+)J(\d+)$/.exec(text), pair = /^(.*\S)\s+J?(\d+)$/.exec(text), task = taskOf(text);
  if (task >= 0) return [task, worstOf(task, timeline)];
  if (id) return [Number(id[1]), Number(id[2])];
  return pair && taskOf(pair[1]) >= 0 ? [taskOf(pair[1]), Number(pair[2])] : null;
}

function worstOf(wanted, { comparison, model }) {
  let worst = 0, late = -Infinity;
  for (const [task, job] of comparison.schedule.deadlines) {
    if (task !== wanted) continue;
    const { deadline, completion = comparison.drawn_until_ns } = model.jobs.get(jobKey(task, job));
    if (completion - deadline > late) [worst, late] = [job, completion - deadline];
  }
  return worst;
}

document.getElementById("find").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = document.getElementById("job").value.trim();
  const shown = timelines.map((timeline) => { const job = jobNamed(text, timeline); return job !== null && timeline.goTo(...job); });
  document.getElementById("found").textContent = shown.includes(true) ? "" : `"${text}" is not in what is drawn`;
});

if (view.differs_at_ns !== null) timelines[0].showAround(view.differs_at_ns);
if (view.job !== null) for (const timeline of timelines) timeline.goTo(...view.job);
