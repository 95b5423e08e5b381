import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { PageTitle } from '../../../ui/page-title.js';
import { QueryView } from '../../../ui/query-view.js';
import { CONTACT, familiesQuery, GUARDIAN, OWNER } from '../queries.js';
import { FamilyActions } from './family-actions.js';
import { Invitations } from './invitations.js';
import { JoinRequests } from './join-requests.js';
import { Members } from './members.js';
import { OwnershipClaims } from './ownership-claims.js';

const route = getRouteApi('/signed-in/family/$familyId');

/** One family: its members, and what the owner decides. */
export function FamilyDetailPage() {
  const { t } = useTranslation('family');
  const { familyId } = route.useParams();
  const families = useQuery(familiesQuery(useSession()));
  const family = families.data?.items.find((each) => each.familyId === familyId);
  return (
    <Stack maw={720}>
      <PageTitle title={family?.name ?? t('title')} back={{ to: '/family' }} />
      <QueryView query={families}>
        {() =>
          family ? (
            <Stack>
              {family.role !== CONTACT && <Members family={family} />}
              {family.role === OWNER && <JoinRequests familyId={familyId} />}
              {family.role === OWNER && <Invitations familyId={familyId} />}
              {family.role <= GUARDIAN && (
                <Button
                  variant="light"
                  renderRoot={(props) => <Link {...props} to="/family/$familyId/plans" params={{ familyId }} />}
                >
                  {t('plans')}
                </Button>
              )}
              {family.role <= GUARDIAN && <OwnershipClaims family={family} />}
              <FamilyActions family={family} />
              <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                {t('familyId', { familyId })}
              </Text>
            </Stack>
          ) : (
            <Text>{t('FAMILY_NOT_FOUND', { ns: 'reasons' })}</Text>
          )
        }
      </QueryView>
    </Stack>
  );
}
