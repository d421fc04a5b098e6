//! Random tasks that share: some resources of one cluster and some of several, read and written.

use crate::mixer::Mixer;
use schedlab_analysis::blocking::{Requests, Sharer, Sharing};

/// Levels in any order, and equal ones.
pub fn sharing(random: &mut Mixer) -> Sharing {
    drawn(random, 4, |random, _| random.below(6) as u32)
}

/// Up to eight tasks on up to `most` clusters; `level` draws a level from what is left of random numbers and the task's
/// place.
pub fn drawn(random: &mut Mixer, most: u64, level: impl Fn(&mut Mixer, usize) -> u32) -> Sharing {
    let (clusters, resources) = (1 + random.below(most) as u32, 1 + random.below(4) as u32);
    let units: Vec<u32> = (0..resources).map(|_| 1 + random.below(3) as u32).collect();
    let mut sharing = Sharing::new(clusters, units.clone());
    for index in 0..random.below(9) as usize {
        let mut requests = Vec::new();
        for resource in 0..resources {
            let (writes, reads) = (random.below(3) as u32, random.below(2) as u32);
            if random.below(2) == 0 {
                let (write_length, read_length) = (random.below(9), random.below(9));
                let units = 1 + random.below(u64::from(units[resource as usize])) as u32;
                requests.push(Requests { resource, writes, write_length, reads, read_length, units });
            }
        }
        let (cost, period) = (1 + random.below(30), 20 + random.below(200));
        let (cluster, level) = (random.below(u64::from(clusters)) as u32, level(random, index));
        sharing.push(Sharer { cost, period, relative_deadline: period, cluster, level }, &requests).unwrap();
    }
    sharing
}

/// All tasks but `index`.
pub fn others(sharing: &Sharing, index: usize) -> impl Iterator<Item = (usize, &Sharer)> {
    sharing.tasks().iter().enumerate().filter(move |(other, _)| *other != index)
}

/// What `task` requests of `resource`.
pub fn request(sharing: &Sharing, task: usize, resource: u32) -> Option<&Requests> {
    sharing.requests(task).iter().find(|request| request.resource == resource)
}
