import { describe } from '@jest/globals';
import { testSection2 } from '../../support/spec/section-2-tests.js';

describe('specification, section 2 (standalone)', () => testSection2('standalone'));
