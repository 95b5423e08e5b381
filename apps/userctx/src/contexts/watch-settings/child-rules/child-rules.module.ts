import { Module } from '@nestjs/common';
import { ChildrenModule } from '../../children/children.module.js';
import { ContactsModule } from '../../contacts/contacts.module.js';
import { FamiliesModule } from '../../families/families.module.js';
import { SosModule } from '../../sos/sos.module.js';
import { WatchSettingsModule } from '../watch-settings.module.js';
import { ChildRulesEventHandlers } from './child-rules.event-handlers.js';
import { ChildRulesRepository } from './child-rules.repository.js';
import { ChildRulesService } from './child-rules.service.js';

/** Publishes the communication rules of children to the apps that enforce them. */
@Module({
  imports: [FamiliesModule, ChildrenModule, ContactsModule, WatchSettingsModule, SosModule],
  providers: [ChildRulesRepository, ChildRulesService, ChildRulesEventHandlers],
  exports: [ChildRulesService],
})
export class ChildRulesModule {}
