/** Command that log lines name for operators. */
export const OPERATOR_COMMAND = 'npm run operator -- dead-letters list';
