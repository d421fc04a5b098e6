//! Before the traits of `policy` and `lock` froze, these test-only policies and protocols had to fit them.

mod aborting;
mod cbs;
mod join_leave;
mod nested_pip;
mod np_section;
mod srp;
mod staggered;
