import { useTranslation } from 'react-i18next';
import { StateBadge } from '../shared/state-badge.js';

export function AccountState({ suspendedAt }: { suspendedAt: number | null }) {
  const { t } = useTranslation('operatorDirectory');
  const isSuspended = suspendedAt !== null;
  return <StateBadge text={t(isSuspended ? 'stateSUSPENDED' : 'stateACTIVE')} isBad={isSuspended} />;
}

export function FamilyState({ dissolvedAt }: { dissolvedAt: number | null }) {
  const { t } = useTranslation('operatorDirectory');
  const isDissolved = dissolvedAt !== null;
  return <StateBadge text={t(isDissolved ? 'stateDISSOLVED' : 'stateACTIVE')} isBad={isDissolved} />;
}
