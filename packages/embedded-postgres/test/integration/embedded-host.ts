import 'reflect-metadata';
import { EmbeddedPostgres } from '@family-watch/embedded-postgres/embedded-postgres';

/*
 * Program that runs an embedded database, like the standalone app. It prints one line of JSON when the database is
 * ready or could not be started, and stops cleanly on SIGTERM.
 * Arguments: data directory, system directory.
 */
const [dataDir, systemDirectory] = process.argv.slice(2);
if (!dataDir || !systemDirectory) throw new Error('Usage: embedded-host <data directory> <system directory>');

try {
  const postgres = await EmbeddedPostgres.start({ dataDir, systemDirectory });
  const keepAlive = setInterval(() => undefined, 60_000);
  process.once('SIGTERM', () => {
    // From here on, only `stop` keeps the process alive, as in an app whose servers are already closed.
    clearInterval(keepAlive);
    process.exitCode = 3;
    void postgres.stop().then(() => (process.exitCode = 0));
  });
  process.stdout.write(`${JSON.stringify({ info: postgres.info, pid: postgres.pid })}\n`);
} catch (error) {
  const { name, message } = error as Error;
  process.stdout.write(`${JSON.stringify({ error: { name, message } })}\n`);
  process.exitCode = 1;
}
