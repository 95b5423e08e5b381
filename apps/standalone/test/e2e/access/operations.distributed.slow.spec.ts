import { testOperations } from '../../support/access/operation-tests.js';
import { describeDistributed } from '../../support/deployments.js';

/** Each app verifies tokens with the published keys of userctx and receives families only by events. */
describeDistributed('A1 access matrix of the operations: one path', (deployment) => testOperations(deployment, 'one'));
