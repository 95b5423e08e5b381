import { describe, expect, test } from '@jest/globals';
import { callReducer, NO_CALL, type Call, type CallAction } from './call-state.js';

type State = 'RINGING' | 'ACCEPTED' | 'REJECTED' | 'BUSY' | 'CANCELLED' | 'TIMED_OUT' | 'ENDED';
const noticeIn = (state: State, callId = '1'): CallAction => ({
  type: 'notice-in',
  notice: { callId, state, provider: 'webrtc', from: 'watch:7' },
});
const noticeOut = (state: State, callId = '1'): CallAction => ({
  type: 'notice-out',
  notice: { callId, state, provider: 'webrtc', to: 'watch:7' },
});
const apply = (...actions: CallAction[]): Call => actions.reduce(callReducer, NO_CALL);
const called: CallAction = { type: 'called', party: 'watch:7' };
const created: CallAction = { type: 'created', callId: '1', state: 'RINGING' };

describe('a call to this page', () => {
  test('rings and is active after it was accepted', () => {
    expect(apply(noticeIn('RINGING'))).toMatchObject({ status: 'incoming', party: 'watch:7' });
    const call = apply(noticeIn('RINGING'), { type: 'accepting' }, noticeIn('ACCEPTED'), { type: 'accepted' });
    expect(call).toMatchObject({ status: 'active', callId: '1', isCaller: false });
  });

  test('stops ringing when another device accepts', () => {
    expect(apply(noticeIn('RINGING'), noticeIn('ACCEPTED'))).toMatchObject({ status: 'ended', reason: 'ELSEWHERE' });
  });

  test.each(['CANCELLED', 'TIMED_OUT'] as const)('stops ringing when it is %s', (state) => {
    expect(apply(noticeIn('RINGING'), noticeIn(state))).toMatchObject({ status: 'ended', reason: state });
  });

  test('does not ring when its end has arrived first', () => {
    expect(apply(noticeIn('CANCELLED'))).toBe(NO_CALL);
  });

  test('does not interrupt another call', () => {
    expect(apply(called, created, noticeIn('RINGING', '2'))).toMatchObject({ status: 'outgoing', callId: '1' });
  });
});

describe('a call of this page', () => {
  test('is active when the other party accepts, and ends', () => {
    expect(apply(called, created, noticeOut('RINGING'))).toMatchObject({ status: 'outgoing', callId: '1' });
    expect(apply(called, created, noticeOut('ACCEPTED'))).toMatchObject({ status: 'active', isCaller: true });
    expect(apply(called, created, noticeOut('ACCEPTED'), noticeOut('ENDED'))).toMatchObject({ reason: 'ENDED' });
  });

  test('ends at once when the other party is busy', () => {
    expect(apply(called, { type: 'created', callId: '1', state: 'BUSY' })).toMatchObject({ reason: 'BUSY' });
  });

  test('is not changed by a call of another device of the same person', () => {
    expect(apply(called, created, noticeOut('ENDED', '2'))).toMatchObject({ status: 'outgoing' });
  });

  test('is over for the person who hangs up, whatever arrives later', () => {
    expect(apply(called, created, { type: 'left' }, noticeOut('ACCEPTED'))).toBe(NO_CALL);
  });
});
