import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { DelayedActions } from './delayed-actions.js';

describe('DelayedActions', () => {
  let actions: DelayedActions;
  const run = jest.fn();

  beforeEach(() => {
    jest.useFakeTimers();
    run.mockReset();
    actions = new DelayedActions(5_000);
    actions.schedule('a', run);
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  test('carries an action out once, after the delay', () => {
    jest.advanceTimersByTime(4_999);
    expect(run).not.toHaveBeenCalled();
    jest.advanceTimersByTime(10_000);
    actions.finishAll();
    expect(run).toHaveBeenCalledTimes(1);
  });

  test('does not carry out a cancelled action', () => {
    actions.cancel('a');
    jest.advanceTimersByTime(10_000);
    expect(actions.finishAll()).toEqual([]);
    expect(run).not.toHaveBeenCalled();
  });

  test('carries all actions out at once when the page is left', () => {
    actions.schedule('b', run);
    expect(actions.finishAll()).toEqual(['a', 'b']);
    expect(run).toHaveBeenCalledTimes(2);
    jest.advanceTimersByTime(10_000);
    expect(run).toHaveBeenCalledTimes(2);
  });
});
