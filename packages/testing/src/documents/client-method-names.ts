/** An operation of the OpenAPI document, as far as its method's name depends on it. */
export interface NamedOperation {
  id: string;
  tag: string;
  /** Kinds of callers, `public` for anybody. */
  access: string | readonly string[];
}

/** The method `client.<group>.<name>(…)` of the SDK. */
export interface MethodName {
  group: string;
  name: string;
}

/** The groups by tag of the operation, with the nouns that the group already says: `listContacts` is `contacts.list`. */
const GROUPS: Readonly<Record<string, { group: string; nouns: readonly string[] }>> = {
  Accounts: { group: 'accounts', nouns: ['Account'] },
  Families: { group: 'families', nouns: ['Families', 'Family'] },
  Children: { group: 'children', nouns: ['Children', 'Child'] },
  Watches: { group: 'watches', nouns: ['Watches', 'Watch'] },
  'Device settings': { group: 'watches', nouns: ['Device'] },
  'Watch device': { group: 'watch', nouns: ['Watch'] },
  Contacts: { group: 'contacts', nouns: ['Contacts', 'Contact'] },
  Friends: { group: 'friends', nouns: ['Friends', 'Friend'] },
  Messages: { group: 'messages', nouns: ['Message'] },
  'Video calls': { group: 'videoCalls', nouns: ['VideoCalls', 'VideoCall'] },
  Locations: { group: 'locations', nouns: ['Location'] },
  Fences: { group: 'fences', nouns: ['Fences', 'Fence'] },
  'Alarm clocks': { group: 'alarmClocks', nouns: ['AlarmClock'] },
  'School time': { group: 'schoolTimes', nouns: ['SchoolTime', 'School'] },
  Strangers: { group: 'strangers', nouns: ['Stranger'] },
  'Remote control': { group: 'remoteControl', nouns: ['Watch', 'Commands', 'Command'] },
  SOS: { group: 'sos', nouns: ['Sos'] },
  'Family cloud': { group: 'familyCloud', nouns: [] },
  Payments: { group: 'payments', nouns: [] },
  Positioning: { group: 'positioning', nouns: ['Position'] },
  'App releases': { group: 'appReleases', nouns: [] },
  Operators: { group: 'operators', nouns: ['Operators', 'Operator'] },
};

/** Methods whose name the rule does not give: apps are written against these names, so they do not change. */
const EXCEPTIONS: Readonly<Record<string, `${string}.${string}`>> = {
  listCenterMessages: 'messageCenter.list',
  readCenterMessages: 'messageCenter.read',
  deleteCenterMessages: 'messageCenter.delete',
  createPushToken: 'notifications.createPushToken',
  deletePushToken: 'notifications.deletePushToken',
  getSubscription: 'notifications.getSubscription',
  updateSubscription: 'notifications.updateSubscription',
  createApplication: 'families.createApplication',
  listApplications: 'families.listApplications',
  approveApplication: 'families.approveApplication',
  rejectApplication: 'families.rejectApplication',
  cancelApplication: 'families.cancelApplication',
  getChild: 'children.list',
  getChildDetail: 'children.get',
  getOwnChild: 'watch.getChild',
  locatePosition: 'positioning.locate',
  getAlarmClocks: 'alarmClocks.list',
  getSchoolTimes: 'schoolTimes.list',
  updateLocationMode: 'locations.updateMode',
  listAllProducts: 'operators.listProducts',
  checkAppUpgrade: 'appReleases.check',
  listAppReleases: 'operators.listAppReleases',
  setAppRelease: 'operators.setAppRelease',
  withdrawAppRelease: 'operators.withdrawAppRelease',
};

/** Operations without a method, because apps do not call them with a token of their own. */
const OPERATIONS_WITHOUT_METHOD: readonly string[] = [
  // Links that responses contain: an app opens them as they are.
  'getBlob',
  'headBlob',
  'putBlob',
  'getFirmwareImage',
  'headFirmwareImage',
  'putFirmwareImage',
  'downloadDataExport',
  'headDataExport',
  'getSharedLocation',
  'getSandboxPayment',
  'submitSandboxPayment',
  // The upload protocol: tus-js-client and other tus clients speak it.
  'createUpload',
  'headUpload',
  'patchUpload',
  'deleteUpload',
  'optionsUpload',
  // Callbacks of payment and SMS providers.
  'notifyPayment',
  'receiveTwilioReceipt',
  'receiveWebhookReceipt',
  'receiveAliyunReceipts',
  'receiveTencentcloudReceipts',
  // Second paths of operations that have a method.
  'deleteChildByPath',
  'getVideoToken',
];

/**
 * Returns the method of an operation, `undefined` for an operation without one. Operations that only watches call are in
 * the group `watch`, those with a tag `Operators: …` in the group `operators`.
 *
 * @throws Error if the tag has no group
 */
export function methodNameOf({ id, tag, access }: NamedOperation): MethodName | undefined {
  if (OPERATIONS_WITHOUT_METHOD.includes(id)) return undefined;
  const [exceptionalGroup, exceptionalName] = EXCEPTIONS[id]?.split('.') ?? [];
  if (exceptionalGroup !== undefined && exceptionalName !== undefined)
    return { group: exceptionalGroup, name: exceptionalName };
  if (String(access) === 'watch') return { group: 'watch', name: withoutNouns(id, ['Watch']) };
  const found = GROUPS[tag.replace(/^Operators: .*/, 'Operators')];
  if (!found) throw new Error(`client-method-names.ts has no group for the tag ${tag} of ${id}`);
  return { group: found.group, name: withoutNouns(id, found.nouns) };
}

/** Removes the first of the nouns that the name contains as a whole word. */
function withoutNouns(id: string, nouns: readonly string[]): string {
  return id.replace(new RegExp(`(${nouns.join('|')})(?![a-z])`), '');
}
