import type { Page } from 'playwright-core';
import { addChild, PASSWORD, signUp, type Person, type Service } from '../support/accounts.js';
import { shown } from '../support/test-browser.js';
import { inAnyLanguage } from '../support/texts.js';
import type { PageToShow } from './pages.js';

const ALL_DAYS = [1, 2, 3, 4, 5, 6, 7];

/** The faces of the watch in the browser. Each follows the one before it. */
export function watchPages(service: Service): PageToShow[] {
  let parent: Person;
  let did = 0;
  let cid = '';
  const bind = async (page: Page) => {
    parent = await signUp(service, 'Carla');
    cid = await addChild(parent, 'Lily');
    const bindCode = await page.getByTestId('bind-code').innerText();
    const confirmCode = await page.getByTestId('confirm-code').innerText();
    ({ did } = await parent.client.watches.bind({ cid, bindCode, confirmCode }));
    await shown(page.getByText(/Lily/));
  };
  return [
    { name: 'watch-code', path: '/watch', prepare: (page) => shown(page.getByTestId('bind-code')) },
    {
      name: 'watch-bound',
      prepare: async (page) => {
        await bind(page);
        await page.getByRole('button', { name: inAnyLanguage('Walk') }).click();
        await shown(page.getByText(inAnyLanguage('Location sent')));
      },
    },
    {
      name: 'watch-school',
      prepare: async (page) => {
        await parent.client.schoolTimes.create({ did, start: '00:00', end: '23:59', weekdays: ALL_DAYS });
        await shown(page.getByText(inAnyLanguage('School time')));
      },
    },
    {
      name: 'watch-call',
      prepare: async (page) => {
        await page.getByRole('button', { name: inAnyLanguage('Leave school mode') }).click();
        await parent.client.videoCalls.create({ to: { cid } });
        await shown(page.getByRole('button', { name: inAnyLanguage('Accept') }));
      },
      finish: (page) => page.getByRole('button', { name: inAnyLanguage('Reject') }).click(),
    },
    {
      name: 'watch-lost',
      prepare: async (page) => {
        await parent.client.watches.updateLostMode({ did, lost: true, lostMessage: 'Please call +86 13812345678' });
        await shown(page.getByText(inAnyLanguage('I am lost')));
      },
      finish: () => parent.client.watches.updateLostMode({ did, lost: false }),
    },
    {
      name: 'watch-ringing',
      prepare: async (page) => {
        await parent.client.remoteControl.find({ did });
        await shown(page.getByText(inAnyLanguage('Here I am!')));
      },
      finish: (page) => page.getByRole('button', { name: inAnyLanguage('Stop') }).click(),
    },
    {
      name: 'watch-off',
      prepare: async (page) => {
        await parent.client.remoteControl.shutDown({ did, stepUp: { password: PASSWORD } });
        await shown(page.getByText(inAnyLanguage('The watch is off.')));
      },
    },
  ];
}
