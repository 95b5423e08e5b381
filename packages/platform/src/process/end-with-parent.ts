/** Loaded before a child's own program: when the parent is gone, however it ended, the child ends in order. */
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
// Waiting for the parent's end is no reason to stay.
process.channel?.unref();

export {};
