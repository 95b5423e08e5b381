import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';

/** Estimates how many guesses a password withstands. */
export const ESTIMATOR = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });
