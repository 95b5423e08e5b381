import { IsIn, IsOptional, IsString, Matches } from 'class-validator';
import { SetBy } from './set-by.decorator.js';

/** Push notifications to phones. */
export class PushEnvironment {
  /** Contact of the operator for Web Push services; some services reject requests without a valid contact. */
  @SetBy('every operator')
  @Matches(/^(mailto:\S+@\S+|https:\/\/\S+)$/, { message: 'must be a mailto: or https: URL' })
  PUSH_VAPID_SUBJECT = 'mailto:push@family-watch.invalid';

  /** File of the Firebase service account; FCM is disabled if the variable is absent. */
  @SetBy('large operators')
  @IsOptional()
  @IsString()
  PUSH_FCM_SERVICE_ACCOUNT?: string;

  /**
   * File of Apple's push key (.p8). APNS is disabled unless the file, the key id, the team id and the topic are set.
   */
  @SetBy('large operators')
  @IsOptional()
  @IsString()
  PUSH_APNS_KEY?: string;

  /** Id of Apple's push key. */
  @SetBy('large operators')
  @IsOptional()
  @Matches(/^\w{10}$/)
  PUSH_APNS_KEY_ID?: string;

  /** Id of the team that owns Apple's push key. */
  @SetBy('large operators')
  @IsOptional()
  @Matches(/^\w{10}$/)
  PUSH_APNS_TEAM_ID?: string;

  /** Bundle id of the app. */
  @SetBy('large operators')
  @IsOptional()
  @IsString()
  PUSH_APNS_TOPIC?: string;

  /** APNS environment: `sandbox` for apps that were not installed from the App Store. */
  @SetBy('developers')
  @IsIn(['production', 'sandbox'])
  PUSH_APNS_SERVER: 'production' | 'sandbox' = 'production';

  /**
   * App id of Huawei's push service. Needs PUSH_HMS_APP_SECRET; HMS is disabled without the app id and the app secret.
   */
  @SetBy('large operators')
  @IsOptional()
  @Matches(/^\d+$/)
  PUSH_HMS_APP_ID?: string;

  /** Secret of PUSH_HMS_APP_ID. */
  @SetBy('large operators')
  @IsOptional()
  @IsString()
  PUSH_HMS_APP_SECRET?: string;

  /** `yes` also allows Web Push over http: and to private networks, for tests with a local push service. */
  @SetBy('developers')
  @IsIn(['no', 'yes'])
  PUSH_ALLOW_INSECURE_ENDPOINTS: 'no' | 'yes' = 'no';
}
