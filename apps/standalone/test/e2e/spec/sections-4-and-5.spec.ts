import { describe } from '@jest/globals';
import { testSections4And5 } from '../../support/spec/sections-4-and-5-tests.js';

describe('specification, sections 4 and 5 (standalone)', () => testSections4And5('standalone'));
