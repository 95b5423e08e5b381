import 'reflect-metadata';

/**
 * Entry point of `npm run operator`. A command that is a program of its own loads less than the others.
 */
const args = process.argv.slice(2);
const [subject] = args;
if (subject === 'account') {
  const { openDatabaseUrl } = await import('@family-watch/embedded-postgres/embedded-postgres');
  const { runCreateAccountCommand } = await import('@family-watch/userctx/commands/create-account-command');
  await runCreateAccountCommand(args.slice(1), openDatabaseUrl);
} else if (subject === 'fsck') {
  process.argv.splice(2, 1);
  await import('@family-watch/mcdisk/fsck');
} else {
  const { runOperatorCommand } = await import('@family-watch/platform/app/operator/operator-command');
  const { operatorProgram } = await import('./operator-program.js');
  await runOperatorCommand(operatorProgram, args);
}
