import { useTranslation } from 'react-i18next';

const ROLE_TEXTS = { 1: 'roleOwner', 2: 'roleGuardian', 3: 'roleCaregiver', 4: 'roleContact' } as const;

/** Returns a function that names the role of a member. */
export function useRoleName(): (role: number) => string {
  const { t } = useTranslation('operatorDirectory');
  return (role) => t(ROLE_TEXTS[role as keyof typeof ROLE_TEXTS]);
}
