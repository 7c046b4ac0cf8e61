/** The schemas of sign-up, sign-in, passwords and the profile. */
import * as z from 'zod'
import { ownerSecret, proxySecret } from '../teams/secrets.ts'
import { judged } from '../texts.ts'
import { languageCodes } from '../language.ts'
import { consentDocuments } from '../legal/consents.ts'
import * as rules from '../schemas.rules.ts'
import { done, empty, text, traffic, usd } from '../schemas.ts'
import {
  answerEmailInput,
  emailAnswered,
  newEmailConfirmed,
  undoEmailInput,
} from '../account-security/schemas.ts'

const language = z.enum(languageCodes)
const signupInput = z.strictObject({
  username: rules.username,
  email: rules.email,
  password: rules.newPassword,
  referral_id: judged(z.union([z.string().max(64), z.number()])).nullish(),
  admin_referral_code: judged(z.string().max(64)).nullish(),
  /**
   * What the person has agreed to: each document that `sign_up_documents` names, as it was shown. Absent:
   * nothing is recorded.
   */
  consents: z
    .array(z.strictObject({ document: z.enum(consentDocuments), sha256: z.string().regex(/^[0-9a-f]{64}$/) }))
    .max(consentDocuments.length)
    .optional(),
})

const signinInput = z.strictObject({
  username: judged(z.string().max(320)),
  password: z.string().max(1000),
})

const profilePool = z.object({
  balance: traffic,
  balance_format: z.string(),
  /** What is reserved for proxy users, beside the balance; missing: nothing. */
  reserved: traffic.optional(),
  reserved_format: z.string().optional(),
  /** The proxy password, or null when the customer has never had traffic in this pool. */
  password: proxySecret.nullable(),
})

const profile = z.object({
  created_at: z.string(),
  updated_at: z.string(),
  reg_date: z.string(),
  user_id: z.number(),
  lang: language,
  invited_by: z.number().nullable(),
  pers_percent: z.string(),
  username: z.string().nullable(),
  email: z.string().nullable(),
  /** `*` when a password is set, else null; never the password itself. */
  password: z.string().nullable(),
  role_id: z.number(),
  confirmed: z.boolean(),
  tgcode: ownerSecret.nullable(),
  tgcode_expires: z.string().nullable(),
  ref_balance_usd: usd,
  token: ownerSecret.nullable(),
  residential: profilePool,
  residential_premium: profilePool,
  datacenter: profilePool,
  mobile: profilePool,
})

const profiles = z.array(profile)
const changeLanguageInput = z.strictObject({ code: language })
const confirmEmailInput = z.strictObject({ confirmation_token: z.string().max(200) })
/** A message that is the code of a refusal replaces the general refusal of an invalid field. */
const telegramSigninInput = z.strictObject({
  p_code: rules.telegramCode,
})

const changePasswordInput = z.strictObject({
  old_password: z.string().max(1000).nullish(),
  new_password: rules.newPassword,
  /** Revokes the API token and all secret links too. */
  end_programs: z.boolean().optional(),
})

/** The answer is the same whether the address is known or not. */
const requestPasswordResetInput = z.strictObject({ email: rules.email })

const newEmailInput = z.strictObject({ email: rules.email })
const resetAccountPasswordInput = z.strictObject({
  reset_token: z.string().max(200),
  new_password: rules.newPassword,
  /** Revokes the API token and all secret links too. */
  end_programs: z.boolean().optional(),
})

export const accountsSchemas = {
  signup: { input: signupInput, output: done },
  signin: { input: signinInput, output: text },
  telegram_code_signin: { input: telegramSigninInput, output: text },
  signout: { input: empty, output: done },
  confirm_email: { input: confirmEmailInput, output: done },
  resend_confirmation: { input: empty, output: done },
  legacy_profile: { input: empty, output: profiles },
  change_language: { input: changeLanguageInput, output: done },
  is_password_exists: { input: empty, output: done },
  change_account_password: { input: changePasswordInput, output: done },
  request_password_reset: { input: requestPasswordResetInput, output: done },
  reset_account_password: { input: resetAccountPasswordInput, output: done },
  change_email: { input: newEmailInput, output: done },
  cancel_email_change: { input: empty, output: done },
  confirm_new_email: { input: confirmEmailInput, output: newEmailConfirmed },
  answer_email_change: { input: answerEmailInput, output: emailAnswered },
  undo_email_change: { input: undoEmailInput, output: done },
} as const
