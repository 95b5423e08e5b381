import { describe } from '@jest/globals';
import { testOperations } from '../../support/access/operation-tests.js';

describe('A1 access matrix of the operations: the other paths', () => testOperations('standalone', 'others'));
