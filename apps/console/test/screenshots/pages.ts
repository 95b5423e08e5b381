import { inAnyLanguage } from '../support/texts.js';
import type { Locator, Page } from 'playwright-core';
import { shown } from '../support/test-browser.js';
import type { ExampleFamily } from './example-family.js';

/** A page, or a state of a page, of which a picture is taken. */
export interface PageToShow {
  readonly name: string;
  /** Absent for a state that follows the one before it on the same page. */
  readonly path?: string;
  /** Who sees the page; the owner of the family by default. */
  readonly visitor?: 'nobody' | 'stranger';
  /** Brings the page into the state. Labels are in the language of the page. */
  readonly prepare?: (page: Page) => Promise<unknown>;
  /** Ends the state for the pages that follow. */
  readonly finish?: (page: Page) => Promise<unknown>;
}

const button = (page: Page, name: RegExp): Locator => page.getByRole('button', { name }).first();
const UNKNOWN_CHILD = '00000000-0000-4000-8000-000000000000';
/** MapLibre draws in a worker and does not show when it has finished. */
const MAP_TIME_MS = 4_000;
const showMap = async (page: Page) => {
  await shown(page.locator('.maplibregl-canvas'));
  await page.waitForTimeout(MAP_TIME_MS);
};
const click = (name: RegExp) => (page: Page) => button(page, name).click();

/** All pages of the router, with the dialogs and states that differ most from the page. */
export function pagesOf(family: ExampleFamily): PageToShow[] {
  const { owner, mia, tom, zoe, familyId, fenceId, conversationId, albumId, guardian } = family;
  const settings = `/children/${mia.cid}/settings`;
  return [
    { name: 'sign-in', path: '/sign-in', visitor: 'nobody' },
    {
      name: 'sign-in-code',
      path: '/sign-in',
      visitor: 'nobody',
      prepare: click(inAnyLanguage('Sign in with an SMS code')),
    },
    { name: 'sign-in-new', path: '/sign-in', visitor: 'nobody', prepare: click(inAnyLanguage('I am new here')) },
    {
      name: 'sign-in-reset',
      path: '/sign-in',
      visitor: 'nobody',
      prepare: click(inAnyLanguage('Forgot the password?')),
    },
    {
      name: 'sign-in-errors',
      path: '/sign-in',
      visitor: 'nobody',
      prepare: async (page) => {
        await page.getByRole('textbox', { name: inAnyLanguage('Phone number') }).fill('1');
        await button(page, inAnyLanguage('Sign in')).click();
        await shown(page.getByRole('alert'));
      },
    },
    { name: 'welcome', path: '/welcome', visitor: 'stranger' },
    { name: 'family-none', path: '/family', visitor: 'stranger' },
    { name: 'chat-none', path: '/chat', visitor: 'stranger' },
    { name: 'album-none', path: '/album', visitor: 'stranger' },
    { name: 'children', path: '/children', prepare: showMap },
    {
      name: 'children-offline',
      prepare: async (page) => {
        await page.context().setOffline(true);
        await shown(page.getByText(inAnyLanguage('Not connected. Last known state:', 'start')));
      },
      finish: (page) => page.context().setOffline(false),
    },
    { name: 'children-add', path: '/children/add' },
    { name: 'child', path: `/children/${mia.cid}`, prepare: showMap },
    { name: 'child-old-location', path: `/children/${tom.cid}`, prepare: showMap },
    { name: 'child-without-watch', path: `/children/${zoe.cid}` },
    { name: 'child-edit', path: `/children/${mia.cid}/edit` },
    {
      name: 'child-delete',
      prepare: async (page) => {
        await button(page, inAnyLanguage('Delete the child')).click();
        await shown(page.getByRole('dialog'));
      },
    },
    { name: 'track', path: `/children/${mia.cid}/track`, prepare: showMap },
    { name: 'fences', path: `/children/${mia.cid}/fences`, prepare: showMap },
    { name: 'fence-add', path: `/children/${mia.cid}/fences/add`, prepare: showMap },
    { name: 'fence-edit', path: `/children/${mia.cid}/fences/${fenceId}`, prepare: showMap },
    { name: 'shares', path: `/children/${mia.cid}/shares` },
    { name: 'bind', path: `/children/${zoe.cid}/bind` },
    { name: 'settings', path: settings },
    { name: 'settings-contacts', path: `${settings}/contacts` },
    { name: 'settings-contacts-add', prepare: click(inAnyLanguage('Add a phone number')) },
    { name: 'settings-friends', path: `${settings}/friends` },
    { name: 'settings-alarms', path: `${settings}/alarms` },
    { name: 'settings-alarms-add', prepare: click(inAnyLanguage('Add an alarm')) },
    { name: 'settings-school-times', path: `${settings}/school-times` },
    { name: 'settings-school-times-add', prepare: click(inAnyLanguage('Add a school time')) },
    { name: 'settings-strangers', path: `${settings}/strangers` },
    { name: 'settings-device', path: `${settings}/device` },
    { name: 'settings-lost-mode', path: `${settings}/lost-mode` },
    { name: 'settings-remote-control', path: `${settings}/remote-control` },
    { name: 'chat', path: '/chat' },
    { name: 'chat-messages', path: `/chat/${conversationId}` },
    { name: 'chat-emoji', prepare: click(inAnyLanguage('Choose an emoji')) },
    { name: 'chat-calls', path: '/chat/calls' },
    {
      name: 'call-incoming',
      prepare: async (page) => {
        await mia.watch.client.videoCalls.create({ to: { userId: owner.userId } });
        await shown(button(page, inAnyLanguage('Accept')));
      },
      finish: click(inAnyLanguage('Reject')),
    },
    {
      name: 'call-outgoing',
      path: `/chat/${conversationId}`,
      prepare: async (page) => {
        await button(page, inAnyLanguage('Video call with {{name}}')).click();
        await shown(page.getByText(inAnyLanguage('Calling {{name}} …')));
      },
      finish: click(inAnyLanguage('Hang up')),
    },
    { name: 'album', path: '/album', prepare: (page) => shown(page.getByRole('button', { name: /picture 1\.jpg/ })) },
    { name: 'album-selection', prepare: (page) => selectPictures(page) },
    {
      name: 'album-viewer',
      path: '/album',
      prepare: async (page) => {
        await button(page, /picture 3\.jpg/).click();
        await shown(page.getByRole('dialog').getByRole('img'));
      },
    },
    { name: 'album-albums', path: '/album?view=albums' },
    { name: 'album-one', path: `/album?view=albums&album=${albumId}` },
    { name: 'album-bin', path: '/album?view=bin' },
    { name: 'messages', path: '/messages' },
    { name: 'family', path: '/family' },
    { name: 'family-detail', path: `/family/${familyId}` },
    { name: 'family-member', path: `/family/${familyId}/members/${guardian.userId}` },
    { name: 'family-plans', path: `/family/${familyId}/plans` },
    { name: 'family-join', path: '/family/join' },
    { name: 'account', path: '/family/account' },
    { name: 'account-privacy', path: '/family/account/privacy' },
    { name: 'account-access-log', path: '/family/account/access-log' },
    { name: 'account-notifications', path: '/family/account/notifications' },
    { name: 'child-not-found', path: `/children/${UNKNOWN_CHILD}` },
  ];
}

/** The alarm that takes over each page after an SOS. */
export const SOS_PAGE: PageToShow = {
  name: 'sos',
  path: '/children',
  prepare: (page) => shown(page.getByRole('alert')),
};

async function selectPictures(page: Page): Promise<void> {
  await button(page, inAnyLanguage('Select')).click();
  for (const number of [2, 3]) await button(page, new RegExp(`picture ${number}\\.jpg`)).click();
}
