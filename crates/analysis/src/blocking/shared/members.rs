//! Tasks of each cluster, by falling priority.

use crate::blocking::Sharing;
use std::ops::Range;

/// Tasks by cluster, then by falling priority, equal levels by index. Can be filled again without allocating anew.
#[derive(Clone, Debug, Default)]
pub(crate) struct Members {
    order: Vec<u32>,
    /// By cluster: index of its first task, with the end as the last entry.
    first: Vec<u32>,
}

impl Members {
    /// Reads `sharing`, in place of what was read before.
    pub(crate) fn fill(&mut self, sharing: &Sharing) {
        let clusters = sharing.clusters() as usize;
        let tasks = sharing.tasks();
        // Counts, then places: where each cluster begins moves on to where it ends.
        self.first.clear();
        self.first.resize(clusters + 2, 0);
        for task in tasks {
            self.first[task.cluster as usize + 2] += 1;
        }
        for cluster in 2..clusters + 2 {
            self.first[cluster] += self.first[cluster - 1];
        }
        self.order.clear();
        self.order.resize(tasks.len(), 0);
        let mut is_sorted = true;
        let mut before = 0;
        for (index, task) in tasks.iter().enumerate() {
            let place = &mut self.first[task.cluster as usize + 1];
            self.order[*place as usize] = index as u32;
            *place += 1;
            is_sorted &= before <= task.level;
            before = task.level;
        }
        // Tasks mostly come by falling priority.
        if !is_sorted {
            for ends in self.first[..=clusters].windows(2) {
                let members = &mut self.order[ends[0] as usize..ends[1] as usize];
                members.sort_by_key(|index| tasks[*index as usize].level);
            }
        }
        self.first.truncate(clusters + 1);
    }

    /// All tasks, cluster by cluster.
    pub(crate) fn all(&self) -> &[u32] {
        &self.order
    }

    /// Returns the places of the tasks of one cluster among all tasks.
    pub(crate) fn places(&self, cluster: u32) -> Range<usize> {
        self.first[cluster as usize] as usize..self.first[cluster as usize + 1] as usize
    }

    /// Calls `visit` for each task with each other task of its cluster that is not more urgent.
    pub(crate) fn each_delayed(&self, sharing: &Sharing, mut visit: impl FnMut(usize, usize)) {
        let level = |task: u32| sharing.tasks()[task as usize].level;
        for cluster in 0..sharing.clusters() {
            let members = &self.order[self.places(cluster)];
            for (place, task) in members.iter().enumerate() {
                let equals = members[..place].iter().rev().take_while(|other| level(**other) == level(*task));
                for other in equals.chain(&members[place + 1..]) {
                    visit(*task as usize, *other as usize);
                }
            }
        }
    }
}
