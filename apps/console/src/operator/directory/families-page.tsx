import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DateTime } from '../../ui/date-time.js';
import { Section } from '../../ui/section.js';
import { useOperator } from '../session/use-operator.js';
import { IdSearch } from '../shared/id-search.js';
import { FamilyLink } from '../shared/links.js';
import { Page } from '../shared/page.js';
import { PagedList } from '../shared/paged-list.js';
import { StateFilter } from '../shared/state-filter.js';
import { FamilyState } from './states.js';
import { FAMILY_STATES, familiesQuery, type FamilyStateName } from './queries.js';

/** Search of a family by the id that a parent reads out, and the list of families. */
export function FamiliesPage() {
  const { t } = useTranslation('operatorDirectory');
  const navigate = useNavigate();
  return (
    <Page title={t('families')}>
      <Section title={t('findFamily')}>
        <IdSearch
          label={t('familyId')}
          description={t('familyIdHint')}
          onSearch={(familyId) => void navigate({ to: '/operator/families/$familyId', params: { familyId } })}
        />
      </Section>
      <Section title={t('families')}>
        <FamilyList />
      </Section>
    </Page>
  );
}

function FamilyList() {
  const { t } = useTranslation('operatorDirectory');
  const session = useOperator();
  const [state, setState] = useState<'' | FamilyStateName>('');
  const families = useInfiniteQuery(familiesQuery(session, state));
  return (
    <>
      <StateFilter
        label={t('state')}
        states={FAMILY_STATES}
        textOf={(each) => t(`state${each}`)}
        value={state}
        onChange={setState}
      />
      <PagedList
        label={t('families')}
        query={families}
        keyOf={({ familyId }) => familyId}
        columns={[
          { name: t('familyId'), value: ({ familyId }) => <FamilyLink familyId={familyId} /> },
          { name: t('state'), value: ({ dissolvedAt }) => <FamilyState dissolvedAt={dissolvedAt} /> },
          { name: t('members'), value: ({ members }) => members.length },
          { name: t('children'), value: ({ children }) => children.length },
          { name: t('watches'), value: ({ children }) => children.filter(({ did }) => did !== null).length },
          { name: t('createdAt'), value: ({ createdAt }) => <DateTime time={createdAt} /> },
        ]}
      />
    </>
  );
}
