import { ChildPage } from '../features/locations/overview/child-page.js';
import { ChildActions } from './child-actions.js';

/** The page of a child, with the actions, which are of rooms above the one of the page. */
export function ChildPageWithActions() {
  return <ChildPage actionsOf={(child) => <ChildActions child={child} />} />;
}
