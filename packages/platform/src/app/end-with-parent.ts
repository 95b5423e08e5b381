/**
 * Preloaded into a child process: terminates the child process gracefully when the parent process exits or crashes.
 */
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
// The channel to the parent must not keep the child process alive.
process.channel?.unref();

export {};
