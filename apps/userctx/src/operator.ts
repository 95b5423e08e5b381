import 'reflect-metadata';

/**
 * Creates operators and accounts, maintains the enrolment list and the products on sale, diagnoses deliveries, lists,
 * replays and drops dead letters of all apps, and reports on their outboxes. Uses the database of userctx, and asks the
 * other apps at MCDISK_URL and GATEWAY_URL. A command that is a program of its own loads less than the others.
 */
const args = process.argv.slice(2);
if (args[0] === 'account') {
  const { runCreateAccountCommand } = await import('./commands/create-account-command.js');
  await runCreateAccountCommand(args.slice(1));
} else {
  const { runOperatorCommand } = await import('@family-watch/platform/app/operator/operator-command');
  const { operatorProgram } = await import('./operator-program.js');
  await runOperatorCommand(operatorProgram, args);
}
