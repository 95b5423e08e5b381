/**
 * Names that earlier builds accepted as time zones although no schedule can be calculated in them, and the time zones
 * for which `Intl` uses these names.
 */
const TIME_ZONE_BY_REPLACED_NAME: Readonly<Record<string, string>> = {
  ACT: 'Australia/Darwin',
  AET: 'Australia/Sydney',
  AGT: 'America/Argentina/Buenos_Aires',
  ART: 'Africa/Cairo',
  AST: 'America/Anchorage',
  BET: 'America/Sao_Paulo',
  BST: 'Asia/Dhaka',
  CAT: 'Africa/Maputo',
  CNT: 'America/St_Johns',
  CST: 'America/Chicago',
  CTT: 'Asia/Shanghai',
  EAT: 'Africa/Nairobi',
  ECT: 'Europe/Paris',
  IET: 'America/Indiana/Indianapolis',
  IST: 'Asia/Kolkata',
  JST: 'Asia/Tokyo',
  MIT: 'Pacific/Apia',
  NET: 'Asia/Yerevan',
  NST: 'Pacific/Auckland',
  PLT: 'Asia/Karachi',
  PNT: 'America/Phoenix',
  PRT: 'America/Puerto_Rico',
  PST: 'America/Los_Angeles',
  SST: 'Pacific/Guadalcanal',
  VST: 'Asia/Ho_Chi_Minh',
  'SYSTEMV/AST4': 'America/Puerto_Rico',
  'SYSTEMV/AST4ADT': 'America/Halifax',
  'SYSTEMV/CST6': 'America/Regina',
  'SYSTEMV/CST6CDT': 'America/Chicago',
  'SYSTEMV/EST5': 'America/Panama',
  'SYSTEMV/EST5EDT': 'America/New_York',
  'SYSTEMV/HST10': 'Pacific/Honolulu',
  'SYSTEMV/MST7': 'America/Phoenix',
  'SYSTEMV/MST7MDT': 'America/Denver',
  'SYSTEMV/PST8': 'Pacific/Pitcairn',
  'SYSTEMV/PST8PDT': 'America/Los_Angeles',
  'SYSTEMV/YST9': 'Pacific/Gambier',
  'SYSTEMV/YST9YDT': 'America/Anchorage',
  'US/PACIFIC-NEW': 'America/Los_Angeles',
};

/** Returns SQL of a table `replaced` with the upper-case `name` and the `zone` that replaces it. */
export function replacedTimeZonesSql(): string {
  const rows = Object.entries(TIME_ZONE_BY_REPLACED_NAME).map(([name, zone]) => `('${name}', '${zone}')`);
  return `(values ${rows.join(', ')}) as replaced (name, zone)`;
}
