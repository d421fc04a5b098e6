//! How do jobs arrive, and what does each of them do?
