import { describe } from '@jest/globals';
import { testOnePathPerOperation } from '../../support/access/one-path-tests.js';

/** The other paths, malformed ids, lists of ids and public operations are tested by `operations.slow.spec.ts`. */
describe('A1 access matrix of the operations: one path', () => testOnePathPerOperation('standalone'));
