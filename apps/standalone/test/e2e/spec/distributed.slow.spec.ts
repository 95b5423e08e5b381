import { describeDistributed } from '../../support/deployments.js';
import { testSection2 } from '../../support/spec/section-2-tests.js';
import { testSections4And5 } from '../../support/spec/sections-4-and-5-tests.js';

describeDistributed('specification, section 2', testSection2);
describeDistributed('specification, sections 4 and 5', testSections4And5);
