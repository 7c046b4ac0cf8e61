/** Words of an account's security that the server, the letters and the pages share. */

/** The changes that the owner of an account is notified of. */
export const securityEvents = [
  'totp_added',
  'totp_removed',
  'passkey_added',
  'passkey_removed',
  'recovery_codes_renewed',
  'recovery_code_used',
  'password_changed',
  'password_changed_programs_ended',
  'sign_in_letters_off',
  'api_token_made',
  'api_token_renewed',
  'preset_link_made',
  'team_member_invited',
  'team_member_joined',
  'team_role_changed',
  'email_change_asked',
  'email_changed',
  'email_restored',
  'factors_reset',
  'telegram_linked',
  'telegram_unlinked',
] as const
export type SecurityEvent = (typeof securityEvents)[number]

/** The ways to prove the owner of an account besides the password. */
export const factorKinds = ['totp', 'passkey', 'recovery_code'] as const
export type FactorKind = (typeof factorKinds)[number]

/** The refusal whose details carry the ticket for the second step of a sign-in. */
export const secondStepCode = 'second_factor_needed'
/** The refusal of a call that needs a recent proof of the owner. */
export const proofCode = 'proof_needed'
