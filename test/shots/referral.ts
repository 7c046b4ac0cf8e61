/** Payouts of the referral balance, from the form to the final decision of staff. */
import { listPayouts, payPayout, refusePayout, takePayout } from '#referral'
import { tabHref } from '#contract/account-tabs'
import { knowAllDevices } from '../browser/operator.ts'
import { withDatabase } from './database.ts'
import { wallet } from './people.ts'
import type { Shot, Stage } from './shot.ts'

const tab = tabHref('referal')

const section = ({ page, text }: Stage) => page.getByRole('region', { name: text('payouts:title') })

const chooseWallet = (stage: Stage) =>
  section(stage)
    .getByRole('radio', { name: stage.text('payouts:wallet') })
    .check()

async function fill(stage: Stage, address: string): Promise<void> {
  await chooseWallet(stage)
  await section(stage).getByLabel(stage.text('payouts:address'), { exact: true }).fill(address)
  await section(stage).getByLabel(stage.text('payouts:amount'), { exact: true }).fill('60')
}

/** Sends the form, as it is filled in. */
const send = (stage: Stage) => section(stage).locator('button[type=submit]').click()

/** Processes the newest payout, as staff do at the desk. */
const byStaff = (act: 'take' | 'pay' | 'refuse', reason = ''): Promise<void> =>
  withDatabase(async (database) => {
    const [payout] = await listPayouts(database.db, {}, { before: null, limit: 1 })
    if (payout === undefined) throw new Error('there is no payout')
    const { id, micros } = payout
    await database.db.transaction().execute(async (tx) => {
      if (act === 'take') await takePayout(tx, { id, micros }, new Date())
      if (act === 'pay') await payPayout(tx, { id, reference: '4f1c09ab22de77b0c1' }, new Date())
      if (act === 'refuse') await refusePayout(tx, { id, reason }, new Date())
    })
  })

const after = (act: 'take' | 'pay') => async (stage: Stage) => {
  await byStaff(act)
  await stage.open(tab)
  await chooseWallet(stage)
}

/** The order matters: each picture continues from the state of the one before. */
export const referralShots: readonly Shot[] = [
  {
    // The answer that the page gets from a shop without PAYOUTS.
    name: 'account-payout-off',
    who: 'partner',
    path: tab,
    breaks: async ({ page }) => {
      await page.route('**/api/rpc/get_payouts**', async (route) => {
        const answer = await route.fetch()
        await route.fulfill({
          response: answer,
          json: { ...((await answer.json()) as object), is_on: false },
        })
      })
      return () => page.unrouteAll({ behavior: 'ignoreErrors' })
    },
  },
  { name: 'account-payout-held', who: 'partner', path: tab, act: chooseWallet },
  {
    name: 'account-payout-form',
    who: 'partner',
    path: tab,
    act: async (stage) => {
      await knowAllDevices()
      await stage.open(tab)
      await fill(stage, wallet)
    },
  },
  {
    name: 'account-payout-wrong',
    who: 'partner',
    path: tab,
    act: async (stage) => {
      await fill(stage, wallet.replace('TR7', 'TR8'))
      await send(stage)
      await section(stage).getByRole('alert').waitFor()
    },
  },
  {
    name: 'account-payout-waiting',
    who: 'partner',
    path: tab,
    act: async (stage) => {
      await fill(stage, wallet)
      await send(stage)
      await section(stage).getByText(stage.text('payouts:open')).waitFor()
    },
  },
  {
    name: 'account-payout-cancel',
    who: 'partner',
    path: tab,
    act: async (stage) => {
      await section(stage)
        .getByRole('button', { name: stage.text('payouts:cancel') })
        .click()
      await stage.dialog.waitFor()
    },
    shows: 'referral/CancelDialog',
  },
  { name: 'account-payout-sending', who: 'partner', path: tab, act: after('take') },
  { name: 'account-payout-paid', who: 'partner', path: tab, act: after('pay') },
  {
    name: 'account-payout-refused',
    who: 'partner',
    path: tab,
    act: async (stage) => {
      await fill(stage, wallet)
      await send(stage)
      await section(stage).getByText(stage.text('payouts:open')).waitFor()
      await byStaff(
        'refuse',
        stage.language === 'ru'
          ? 'Кошелёк принадлежит бирже, которая не принимает переводы по этой сети.'
          : 'The wallet belongs to an exchange that does not accept transfers through this network.',
      )
      await stage.open(tab)
    },
  },
]
