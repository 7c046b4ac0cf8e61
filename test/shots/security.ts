/**
 * Two-factor authentication: its dialogs, recovery codes, the proof of the owner, and the second step of
 * signing in.
 */
import { generate } from 'otplib'
import { openDatabase } from '#db'
import { newAuthenticator, type VirtualAuthenticator } from '../browser/authenticator.ts'
import type { Shot, Stage } from './shot.ts'

const tab = '/account?tab=changePass'
const password = 'a long password'

/** Sets the last proof of the owner in all sessions to more than ten minutes ago. */
async function ageProofs(): Promise<void> {
  const database = await openDatabase({ dataDir: process.env['TEST_DATA_DIR'] ?? '', role: 'guest' })
  await database.pool.query(`update session set proved_at = proved_at - interval '11 minutes'`)
  await database.close()
}

let known: VirtualAuthenticator | null = null

/** Adds an authenticator to the page that recognises its owner or does not. */
async function authenticator({ page }: Stage, isUserVerified: boolean): Promise<void> {
  if (known === null) {
    known = await newAuthenticator(page, isUserVerified)
    page.once('close', () => (known = null))
  }
  const { cdp, authenticatorId } = known
  await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
}

const row = ({ page }: Stage, name: string) => page.getByRole('listitem').filter({ hasText: name })

/** Opens the dialog that sets up an authenticator app. */
async function begin(stage: Stage): Promise<string> {
  const { text, dialog } = stage
  await row(stage, text('security:factor.totp'))
    .getByRole('button', { name: text('security:factor.setUp') })
    .click()
  await dialog.getByRole('img', { name: text('factors:qr') }).waitFor()
  return ((await dialog.locator('code').textContent()) ?? '').replaceAll(' ', '')
}

/** Opens the dialog of a new passkey. */
async function newPasskey(stage: Stage): Promise<void> {
  await row(stage, stage.text('security:factor.newPasskey'))
    .getByRole('button', { name: stage.text('security:add') })
    .click()
  await stage.dialog.waitFor()
}

const pressAdd = ({ dialog, text }: Stage) =>
  dialog.getByRole('button', { name: text('security:add'), exact: true }).click()

/** A passkey, its dialogs, and what a refusal of the authenticator looks like. */
const passkeyShots: readonly Shot[] = [
  {
    name: 'account-passkey-new',
    who: 'guarded',
    path: tab,
    act: async (stage) => {
      await authenticator(stage, true)
      await newPasskey(stage)
    },
    shows: 'security/PasskeyDialog',
  },
  {
    name: 'account-passkey-declined',
    who: 'guarded',
    path: tab,
    act: async (stage) => {
      await authenticator(stage, false)
      await newPasskey(stage)
      await pressAdd(stage)
      await stage.dialog.getByRole('alert').waitFor()
    },
  },
  {
    name: 'account-passkey-added',
    who: 'guarded',
    path: tab,
    act: async (stage) => {
      await authenticator(stage, true)
      await newPasskey(stage)
      await stage.dialog
        .getByLabel(stage.text('security:factor.passkeyNameLabel'))
        .fill(stage.language === 'ru' ? 'Рабочий ноутбук' : 'Work laptop')
      await pressAdd(stage)
      await stage.dialog.waitFor({ state: 'hidden' })
    },
  },
  {
    name: 'account-passkey-remove',
    who: 'guarded',
    path: tab,
    act: async (stage) => {
      await row(stage, stage.language === 'ru' ? 'Рабочий ноутбук' : 'Work laptop')
        .getByRole('button')
        .click()
      await stage.dialog.waitFor()
    },
    shows: 'security/RemoveDialog',
  },
  {
    name: 'account-codes-renew',
    who: 'guarded',
    path: tab,
    act: async (stage) => {
      await stage.press(stage.text('security:factor.newCodes'))
      await stage.dialog.waitFor()
    },
    shows: 'security/RenewDialog',
  },
]

/** The address of the account, its data, and the token of its programs. */
const accountShots: readonly Shot[] = [
  {
    name: 'account-email-waits',
    who: 'guarded',
    path: tab,
    act: async ({ page, press, text }) => {
      await page.getByLabel(text('security:email.fresh')).fill('new.address@example.com')
      await press(text('security:email.change'))
      await page.getByRole('listitem').filter({ hasText: 'new.address@example.com' }).waitFor()
    },
  },
  ...(['download', 'erase'] as const).map((act): Shot => ({
    name: `account-data-${act}`,
    who: 'guarded',
    path: tab,
    act: async ({ press, text, dialog }) => {
      await press(text(`security:personal.${act}`))
      await dialog.waitFor()
    },
    shows: 'security/ProveDialog',
  })),
  ...(['rotate', 'revoke'] as const).map((act): Shot => ({
    name: `account-token-${act}`,
    who: 'guarded',
    path: '/account?tab=resell',
    act: async ({ press, text, dialog }) => {
      await press(text(`security:reseller.${act}`))
      await dialog.waitFor()
    },
    shows: 'reseller/Token',
  })),
  {
    name: 'account-token-locked',
    who: 'guarded',
    path: '/account?tab=resell',
    breaks: async ({ page }) => {
      const calls = '**/api/rpc/security'
      await page.route(calls, async (route) => {
        const response = await route.fetch()
        const state = (await response.json()) as object
        await route.fulfill({ response, json: { ...state, proven_until: null } })
      })
      return () => page.unroute(calls)
    },
    shows: 'reseller/Token',
  },
  {
    name: 'account-token-revoked',
    who: 'guarded',
    path: '/account?tab=resell',
    act: async ({ page, press, text, dialog }) => {
      await press(text('security:reseller.revoke'))
      await dialog.getByRole('button', { name: text('security:reseller.revokeAct') }).click()
      await page.getByText(text('security:reseller.revoked')).waitFor()
    },
  },
]

/**
 * The order matters: the third picture sets up the app, and a picture before `account-passkey-remove` adds
 * the passkey; later pictures are of an account that has the app.
 */
export const securityShots: readonly Shot[] = [
  {
    name: 'account-password-reset',
    who: 'guarded',
    path: tab,
    act: async ({ press, text, dialog }) => {
      await press(text('userPanel:security.reset'))
      await dialog.waitFor()
    },
    shows: 'security/PoolPassword',
  },
  {
    name: 'account-factor-set-up',
    who: 'guarded',
    path: tab,
    act: async (stage) => void (await begin(stage)),
    shows: 'security/TotpDialog',
  },
  {
    name: 'account-factor-codes',
    who: 'guarded',
    path: tab,
    act: async (stage) => {
      const { text, dialog } = stage
      const secret = await begin(stage)
      await dialog.getByLabel(text('factors:firstCode')).fill(await generate({ secret }))
      await dialog.getByRole('button', { name: text('security:factor.turnOn') }).click()
      await stage.page.getByRole('dialog', { name: text('security:factor.codesTitle') }).waitFor()
    },
    shows: 'security/TwoFactor',
  },
  { name: 'account-factor-on', who: 'guarded', path: tab },
  ...passkeyShots,
  ...accountShots,
  {
    name: 'account-proof',
    who: 'guarded',
    path: tab,
    act: async (stage) => {
      await ageProofs()
      await stage.open(tab)
      await row(stage, stage.text('security:factor.totp'))
        .getByRole('button', { name: stage.text('security:remove') })
        .click()
      await stage.page.getByRole('dialog', { name: stage.text('security:proof.title') }).waitFor()
    },
    shows: 'proof/ProofDialog',
  },
  {
    name: 'login-second-step',
    who: 'guarded',
    path: '/account',
    act: async ({ page, open, text }) => {
      const user = await page.evaluate(() => localStorage.getItem('user') ?? '{}')
      const { username } = JSON.parse(user) as { username: string }
      await page.evaluate(() => localStorage.removeItem('user'))
      await open('/login')
      await page.getByLabel(text('auth:login.name')).fill(username)
      await page.getByLabel(text('auth:login.password'), { exact: true }).fill(password)
      await page.getByRole('button', { name: text('auth:login.submit'), exact: true }).click()
      await page.getByRole('heading', { name: text('factors:step.title') }).waitFor()
      await page.getByLabel(text('factors:totp')).waitFor()
      // Signed in again for the pictures after it.
      await page.evaluate((kept) => localStorage.setItem('user', kept), user)
    },
  },
]
