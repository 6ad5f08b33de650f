//! Simulated electronic draughts boards.
