//! Overheads that a question charges.

use super::error::QuestionError;
use crate::prepare::catalog::Catalog;
use schedlab_model::{Cost, Duration, ObjectKind, OverheadKind, OverheadSpec, Overheads};
use schedlab_policy::Scheduler;
use schedlab_scenario::{bytes, duration, Charged, OverheadProfile};

/// The overheads that a question charges, and the way in which they are accounted for.
#[derive(Clone, Debug)]
pub(super) struct Charges {
    pub(super) profile: OverheadProfile,
    /// The scheduler whose overheads are charged: the question's own, or another.
    scheduler: String,
    /// Only the overheads of locks and context switches are charged.
    pub(super) locks_alone: bool,
    /// Only the costs of operations on objects are charged.
    pub(super) objects_alone: bool,
    /// Kind of the objects that are accessed, at the costs that the overheads state for it.
    pub(super) object: Option<ObjectKind>,
    /// Time that all reloads take, in place of the profile's.
    reload: Option<Duration>,
    /// Working set of every task in bytes, which determines the time of its reloads.
    working_set: Option<u64>,
    /// Accounts for overheads as a paper did, which is no safe bound.
    pub(super) as_published: bool,
}

/// The account of overheads in a paper, which is no safe bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PublishedAccount {
    word: &'static str,
    of: &'static str,
}

/// The account of Pfair overheads by Srinivasan et al. 2003.
pub(super) const OF_PFAIR: PublishedAccount = PublishedAccount { word: "published", of: "a Pfair scheduler" };
/// The account of block-or-not-2008, whose sections contain lock operations alone.
pub(super) const OF_LOCKS: PublishedAccount =
    PublishedAccount { word: "as-in-2008", of: "a locking protocol" };

/// Prefix of the time that every reload takes, in place of the overheads'.
const RELOAD: &str = "reload=";
/// Prefix of the working set of every task.
const WORKING_SET: &str = "wss=";
const RELOADS: [OverheadKind; 2] =
    [OverheadKind::CacheRelatedPreemption, OverheadKind::CacheRelatedMigration];
/// Prefix of the kind of the objects that are accessed.
const OBJECT: &str = "object=";
/// Suffix of the name of overheads of which only the costs of operations on objects count.
const OBJECTS_ALONE: &str = "objects";
/// Suffix of the name of overheads of which only [`KINDS_OF_LOCKS`] count.
const LOCKS_ALONE: &str = "locks";
const KINDS_OF_LOCKS: [OverheadKind; 3] =
    [OverheadKind::ContextSwitch, OverheadKind::LockAcquire, OverheadKind::LockRelease];

/// Returns the scheduler of this name.
pub(super) fn scheduler_named(name: &str, catalog: &Catalog) -> Result<Scheduler, QuestionError> {
    catalog.scheduler_or_known(name).map_err(QuestionError::Scheduler)
}

impl Charges {
    /// Reads `word` into `charges` if it names overheads, or says how those already in `charges` are accounted for;
    /// else returns false. `account` is the published account that the question may take.
    pub(super) fn read(
        charges: &mut Option<Charges>,
        word: &str,
        scheduler: &str,
        account: Option<PublishedAccount>,
        catalog: &Catalog,
    ) -> Result<bool, QuestionError> {
        if let Some(named) = [OF_PFAIR, OF_LOCKS].into_iter().find(|account| account.word == word) {
            let charges = charges.as_mut().filter(|one| !one.as_published && account == Some(named));
            let refused = QuestionError::Account { word: named.word, of: named.of };
            charges.ok_or(refused)?.as_published = true;
        } else if let Some(length) = word.strip_prefix(RELOAD) {
            let refused = || QuestionError::Reload(word.into());
            let free = |one: &&mut Charges| one.working_set.is_none() && one.reload.is_none();
            let charges = charges.as_mut().filter(free).ok_or_else(refused)?;
            charges.reload = Some(duration(length).map_err(|_| refused())?);
        } else if let Some(size) = word.strip_prefix(WORKING_SET) {
            let refused = || QuestionError::WorkingSet(word.into());
            let free = |one: &&mut Charges| one.working_set.is_none() && one.reload.is_none();
            let charges = charges.as_mut().filter(free).ok_or_else(refused)?;
            let size = bytes(size).map_err(|_| refused())?;
            if !charges.knows_reloads_of(size) {
                return Err(QuestionError::UnknownReload(word.into()));
            }
            charges.working_set = Some(size);
        } else if let Some(name) = word.strip_prefix(OBJECT) {
            let kind = ObjectKind::ALL.into_iter().find(|kind| kind.name() == name);
            let charges = charges.as_mut().filter(|one| one.object.is_none() && account == Some(OF_LOCKS));
            let Some((charges, kind)) = charges.zip(kind) else {
                return Err(QuestionError::Object(word.into()));
            };
            charges.object = Some(kind);
        } else if let Some(named) = Charges::named(word, scheduler, catalog)? {
            if charges.replace(named).is_some() {
                return Err(QuestionError::Overheads(word.into()));
            }
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Returns the overheads that `word` names: a profile, its part for locks or objects, or what it charges another
    /// scheduler.
    fn named(word: &str, scheduler: &str, catalog: &Catalog) -> Result<Option<Charges>, QuestionError> {
        let (name, part) = word.split_once(':').unwrap_or((word, scheduler));
        let Some(profile) = catalog.overheads(name) else { return Ok(None) };
        let (locks_alone, objects_alone) = (part == LOCKS_ALONE, part == OBJECTS_ALONE);
        let scheduler = match locks_alone || objects_alone {
            true => scheduler.to_owned(),
            false => scheduler_named(part, catalog)?.name,
        };
        let charged = profile.charged(&scheduler, schedlab_lock::NONE);
        if charged.decisions.is_some() {
            return Err(QuestionError::Decisions { overheads: word.into(), scheduler });
        }
        if charged.overheads.moves_take_time() {
            return Err(QuestionError::Moves { overheads: word.into(), scheduler });
        }
        Ok(Some(Charges {
            profile,
            scheduler,
            locks_alone,
            objects_alone,
            object: None,
            reload: None,
            working_set: None,
            as_published: false,
        }))
    }

    /// Returns the overheads that are charged under this protocol.
    pub(super) fn of(&self, protocol: &str) -> Charged {
        if self.objects_alone {
            return Charged::default();
        }
        let mut charged = self.profile.charged(&self.scheduler, protocol);
        if self.locks_alone {
            let mut overheads = Overheads::default();
            KINDS_OF_LOCKS.iter().for_each(|&kind| overheads.set(kind, charged.overheads.get(kind).clone()));
            charged.overheads = overheads;
        }
        for kind in RELOADS {
            if let Some(length) = self.reload {
                charged.overheads.set(kind, Cost::Constant(length).into());
            }
            if let Some(size) = self.working_set {
                let fixed = of_size(charged.overheads.get(kind), size);
                charged.overheads.set(kind, fixed);
            }
        }
        charged
    }

    /// True if the overheads state what reloading a working set of this size takes: some reload is by working set, and
    /// up to it.
    fn knows_reloads_of(&self, size: u64) -> bool {
        let charged = self.profile.charged(&self.scheduler, schedlab_lock::NONE);
        let covers = |cost: &Cost| match cost {
            Cost::ByWorkingSet(rows) => rows.last().is_some_and(|(largest, _)| size <= *largest),
            Cost::Constant(_) | Cost::Linear { .. } | Cost::ByTaskCount(_) | Cost::ByReadyJobs(_) => false,
        };
        RELOADS.iter().any(|kind| covers(&charged.overheads.get(*kind).max))
    }
}

/// Fixes costs by working set at `size`, whatever the task states.
fn of_size(spec: &OverheadSpec, size: u64) -> OverheadSpec {
    let fixed = |cost: &Cost| match cost {
        Cost::ByWorkingSet(_) => Cost::Constant(cost.evaluate(0, size)),
        Cost::Constant(_) | Cost::Linear { .. } | Cost::ByTaskCount(_) | Cost::ByReadyJobs(_) => cost.clone(),
    };
    OverheadSpec {
        max: fixed(&spec.max),
        mean: fixed(&spec.mean),
        percentiles: spec.percentiles.iter().map(|(tenths, cost)| (*tenths, fixed(cost))).collect(),
    }
}
