import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { DateTime } from '../../ui/date-time.js';
import { QueryView } from '../../ui/query-view.js';
import { Section } from '../../ui/section.js';
import { useOperator } from '../session/use-operator.js';
import { Facts } from '../shared/facts.js';
import { PersonLink, WatchLink } from '../shared/links.js';
import { Page } from '../shared/page.js';
import { Deliveries } from './deliveries.js';
import { FamilyState } from './states.js';
import { CAREGIVER, familyQuery, GUARDIAN, OWNER, type Family } from './queries.js';
import { useRoleName } from './use-role-name.js';

const route = getRouteApi('/operator/families/$familyId');

/** The state of one family: members by role, watches, plans and deliveries. */
export function FamilyPage() {
  const { t } = useTranslation('operatorDirectory');
  const session = useOperator();
  const { familyId } = route.useParams();
  const family = useQuery(familyQuery(session, familyId));
  return (
    <Page title={t('family')} back={{ to: '/operator/families' }}>
      <QueryView query={family}>
        {(found) =>
          found ? (
            <Stack gap="lg">
              <FamilySection family={found} />
              {found.dissolvedAt === null && <Deliveries subject={{ familyId: found.familyId }} />}
            </Stack>
          ) : (
            <Text>{t('noFamily', { familyId })}</Text>
          )
        }
      </QueryView>
    </Page>
  );
}

function FamilySection({ family }: { family: Family }) {
  const { t } = useTranslation('operatorDirectory');
  const { t: tList } = useTranslation('operatorLists');
  const roleName = useRoleName();
  const { familyId, createdAt, dissolvedAt, members, children, plans } = family;
  const count = (role: number) => members.filter((member) => member.role === role).length;
  const dids = children.flatMap(({ did }) => did ?? []);
  return (
    <Section title={t('stateOfFamily')} action={<FamilyState dissolvedAt={dissolvedAt} />}>
      <Facts
        facts={[
          [t('familyId'), familyId],
          [t('createdAt'), <DateTime time={createdAt} />],
          [
            t('members'),
            t('memberCounts', {
              owners: count(OWNER),
              guardians: count(GUARDIAN),
              caregivers: count(CAREGIVER),
              contacts: members.length - count(OWNER) - count(GUARDIAN) - count(CAREGIVER),
            }),
          ],
          [t('children'), children.length],
          [
            t('watches'),
            dids.length === 0
              ? tList('none')
              : dids.map((did) => (
                  <Group key={did}>
                    <WatchLink did={did} />
                  </Group>
                )),
          ],
          [
            t('plans'),
            plans.length === 0
              ? tList('none')
              : plans.map(({ kind, endsAt }, index) => (
                  <Text key={index}>
                    {t(`plan${kind}`)} · <DateTime time={endsAt} style="date" />
                  </Text>
                )),
          ],
        ]}
      />
      <Text fw={500}>{t('members')}</Text>
      {members.map(({ userId, role }) => (
        <Group key={userId} gap="xs">
          <PersonLink userId={userId} />
          <Text c="dimmed">{roleName(role)}</Text>
        </Group>
      ))}
    </Section>
  );
}
