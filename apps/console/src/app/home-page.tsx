import { ContactChildren } from '../features/conversations/contact-children.js';
import { ChildrenPage } from '../features/locations/overview/children-page.js';
import { ChildActions } from './child-actions.js';

/** The children of the person. The cards of a contact and the actions are of rooms above the one of the page. */
export function HomePage() {
  return <ChildrenPage contactChildren={<ContactChildren />} actionsOf={(child) => <ChildActions child={child} />} />;
}
