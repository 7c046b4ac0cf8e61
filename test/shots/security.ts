/** Two-factor authentication: its dialogs, recovery codes, the proof of the owner, and the second step of signing in. */
import { generate } from 'otplib'
import { openDatabase } from '#db'
import type { Shot, Stage } from './shot.ts'

const tab = '/account?tab=changePass'
const password = 'a long password'

/** As if the owner had been proved by all sessions more than ten minutes ago. */
async function ageProofs(): Promise<void> {
  const database = await openDatabase({ dataDir: process.env['TEST_DATA_DIR'] ?? '', role: 'guest' })
  await database.pool.query(`update session set proved_at = proved_at - interval '11 minutes'`)
  await database.close()
}

const row = ({ page }: Stage, name: string) => page.getByRole('listitem').filter({ hasText: name })

/** Opens the setting up of an app. */
async function begin(stage: Stage): Promise<string> {
  const { text, dialog } = stage
  await row(stage, text('security:factor.totp'))
    .getByRole('button', { name: text('security:factor.setUp') })
    .click()
  await dialog.getByRole('img', { name: text('factors:qr') }).waitFor()
  return ((await dialog.locator('code').textContent()) ?? '').replaceAll(' ', '')
}

/** The order matters: the app is set up by the second picture, and the others are of an account that has it. */
export const securityShots: readonly Shot[] = [
  {
    name: 'account-password-reset',
    who: 'buyer',
    path: tab,
    act: async ({ press, text, dialog }) => {
      await press(text('userPanel:security.reset'))
      await dialog.waitFor()
    },
  },
  { name: 'account-factor-set-up', who: 'buyer', path: tab, act: async (stage) => void (await begin(stage)) },
  {
    name: 'account-factor-codes',
    who: 'buyer',
    path: tab,
    act: async (stage) => {
      const { text, dialog } = stage
      const secret = await begin(stage)
      await dialog.getByLabel(text('factors:firstCode')).fill(await generate({ secret }))
      await dialog.getByRole('button', { name: text('security:factor.turnOn') }).click()
      await stage.page.getByRole('dialog', { name: text('security:factor.codesTitle') }).waitFor()
    },
  },
  { name: 'account-factor-on', who: 'buyer', path: tab },
  {
    name: 'account-proof',
    who: 'buyer',
    path: tab,
    act: async (stage) => {
      await ageProofs()
      await stage.open(tab)
      await row(stage, stage.text('security:factor.totp'))
        .getByRole('button', { name: stage.text('security:remove') })
        .click()
      await stage.page.getByRole('dialog', { name: stage.text('security:proof.title') }).waitFor()
    },
  },
  {
    name: 'login-second-step',
    who: 'buyer',
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
