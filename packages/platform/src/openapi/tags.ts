/**
 * Groups of operations in the order in which a team needs them, with what the summaries of the operations do not say.
 * A tag without an entry fails a contract test.
 */
export const TAGS = [
  {
    name: 'Accounts',
    description:
      'A session begins with `sign-up` or `sign-in` and has an access token (10 minutes by default) and a refresh token, ' +
      'which is used once. Sensitive operations take a `stepUp`: the password or an SMS code of scene STEP_UP.',
  },
  {
    name: 'Families',
    description: 'Owner, guardians, caregivers and contacts of a family, invitations and ownership.',
  },
  {
    name: 'Children',
    description: 'A child is the person; the watch is bound to a child. The first child creates the family.',
  },
  {
    name: 'Watch device',
    description:
      'The watch’s own operations. A watch signs with its Ed25519 key instead of a password; the guide shows the signed ' +
      'texts with a test vector.',
  },
  { name: 'Watches', description: 'The watches of a family: binding, state and settings as the phone app shows them.' },
  { name: 'Contacts', description: 'Whom a child can reach, and requests of relatives to become a contact.' },
  { name: 'Friends', description: 'Friendships of two watches, which both families confirm.' },
  {
    name: 'Messages',
    description:
      'Conversations, the message centre and push. Messages arrive over the socket, which the message reference describes; ' +
      'these operations send and read them without a socket.',
  },
  { name: 'Video calls', description: 'The state of a call. Audio and video flow between the devices.' },
  {
    name: 'Locations',
    description: 'Last location, tracks, visits, requests to the watch and links that share a location.',
  },
  { name: 'Positioning', description: 'Locating a watch by Wi-Fi and cell observations.' },
  { name: 'Fences', description: 'Geofences and their events.' },
  { name: 'SOS', description: 'Emergency calls of a child, until a member acknowledges and resolves them.' },
  { name: 'Remote control', description: 'Commands to a watch. No command opens a microphone or a camera.' },
  { name: 'Alarm clocks', description: 'Settings are versioned: the watch pulls, applies and acknowledges them.' },
  { name: 'School time', description: 'Times in which the watch is restricted. SOS always works.' },
  { name: 'Strangers', description: 'Calls of numbers that are not contacts.' },
  { name: 'Device settings', description: 'Location mode and lost mode.' },
  {
    name: 'Family cloud',
    description:
      'Files of a family. `getFileUploadURL` announces files, a tus client uploads them, `completeUpload` commits them. The ' +
      'operations with a token in their path are the links that other responses contain.',
  },
  { name: 'Payments', description: 'Orders and entitlements.' },
  { name: 'App releases', description: 'Whether an app must or can be upgraded.' },
  { name: 'Firmware images', description: 'Links to the bytes of firmware images.' },
  { name: 'SMS receipts', description: 'Callbacks of SMS providers; apps do not call them.' },
  { name: 'Operators', description: 'Accounts of operators and the audit list.' },
  { name: 'Operators: fleet', description: 'The enrolment list and the state of watches.' },
  { name: 'Operators: support', description: 'Suspension of accounts, deliveries.' },
  { name: 'Operators: firmware', description: 'Images, groups and staged rollouts.' },
  { name: 'Operators: billing', description: 'What families can buy.' },
  { name: 'Operators: event bus', description: 'Events that could not be processed.' },
] as const;

/** Sections of the navigation (`x-tagGroups`, which Redoc reads). */
export const TAG_GROUPS: readonly { name: string; tags: readonly (typeof TAGS)[number]['name'][] }[] = [
  { name: 'Begin', tags: ['Accounts', 'Children', 'Watch device', 'Watches', 'Families', 'Contacts', 'Messages'] },
  {
    name: 'Safety',
    tags: [
      'Locations',
      'Positioning',
      'Fences',
      'SOS',
      'Remote control',
      'School time',
      'Strangers',
      'Device settings',
    ],
  },
  { name: 'Together', tags: ['Friends', 'Video calls', 'Alarm clocks', 'Family cloud'] },
  { name: 'Service', tags: ['Payments', 'App releases', 'Firmware images', 'SMS receipts'] },
  {
    name: 'Operators',
    tags: [
      'Operators',
      'Operators: fleet',
      'Operators: support',
      'Operators: firmware',
      'Operators: billing',
      'Operators: event bus',
    ],
  },
];
