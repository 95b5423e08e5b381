/** Maximum number of active location shares per child. */
export const MAX_LOCATION_SHARES_PER_CHILD = 10;

/** How long a location share is valid, in seconds. */
export const LOCATION_SHARE_TTL_SECONDS = { MIN: 60, DEFAULT: 3_600, MAX: 86_400 } as const;

/** Maximum length of a location share's title. */
export const MAX_LOCATION_SHARE_TITLE_LENGTH = 64;
