import { describe } from '@jest/globals';
import { testAccountDeletion } from '../support/account-deletion-tests.js';

describe('A24 the deletion of an account (standalone)', () => testAccountDeletion('standalone'));
