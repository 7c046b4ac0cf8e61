/** The dialogs of the desk about customers. */
import { openDatabase } from '#db'
import { acts, opening, sent } from './press.ts'
import type { DeskScreen, Found } from './screens.ts'
import type { Stage } from '../shot.ts'

export const ofCustomer = ({ customer }: Found): DeskScreen[] => {
  const path = `/customers/${customer}`
  return [
    { name: 'customer-give', path, act: opening('deskPages:act.give'), shows: 'customer/TrafficDialog' },
    { name: 'customer-give-wrong', path, act: sent(opening('deskPages:act.give')) },
    {
      name: 'customer-give-money',
      path,
      act: acts('deskPages:act.giveMoney'),
      shows: 'customer/MoneyDialog',
    },
    { name: 'customer-block', path, act: opening('deskPages:act.block'), shows: 'customer/BlockDialog' },
    {
      name: 'customer-end-sessions',
      path,
      act: acts('deskPages:act.endSessions'),
      shows: 'customer/EndSessionsDialog',
    },
    {
      name: 'customer-reset',
      path,
      act: opening('deskCustomer:acts.resetAccess'),
      shows: 'customer/ResetAccessDialog',
    },
    { name: 'customer-resend', path, act: acts('deskCustomer:acts.resend'), shows: 'customer/ResendDialog' },
    { name: 'customer-export', path, act: acts('deskCustomer:acts.export'), shows: 'customer/ExportDialog' },
    { name: 'customer-erase', path, act: acts('deskCustomer:acts.erase'), shows: 'customer/EraseDialog' },
    { name: 'customer-see-as', path, act: opening('deskCustomer:acts.seeAs'), shows: 'customer/SeeAsDialog' },
    ...(['targets', 'cutAll'] as const).map((act) => ({
      name: `customer-live-${act === 'targets' ? 'targets' : 'cut'}`,
      path: `${path}?tab=live`,
      act: opening(`deskCustomer:live.${act}`),
      shows: act === 'targets' ? 'customer/LiveConnections' : 'customer/CutAllDialog',
    })),
    {
      name: 'customer-limits',
      path: `${path}?tab=access`,
      act: opening('deskCustomer:limits.change'),
      shows: 'customer/LimitsDialog',
    },
    {
      name: 'customer-pace',
      path: `${path}?tab=access`,
      act: opening('deskCustomer:api.change'),
      shows: 'customer/PaceDialog',
    },
    {
      name: 'customer-price-list',
      path,
      act: acts('deskCustomer:acts.priceList'),
      shows: 'customer/PriceListDialog',
    },
    {
      name: 'customer-usage-hosts',
      path: `${path}?tab=usage&by=host`,
      act: opening('deskCustomer:usage.hostsShow'),
      shows: 'customer/ByHost',
    },
    {
      name: 'customers-bulk',
      path: '/customers',
      act: async ({ page }) => {
        await page.locator('main input[type=checkbox]').filter({ visible: true }).nth(1).check()
      },
    },
    ...(['block', 'tag', 'credit', 'letter'] as const).map((act) => ({
      name: `customers-bulk-${act}`,
      path: '/customers',
      act: async (stage: Stage) => {
        await stage.page.locator('main input[type=checkbox]').filter({ visible: true }).nth(1).check()
        await opening(`deskCustomer:many.act.${act}`)(stage)
      },
      shows: 'customers/BulkDialog',
    })),
  ]
}

/** Sets the last second factor of all staff sessions to more than ten minutes ago. */
async function ageFactors(): Promise<void> {
  const database = await openDatabase({ dataDir: process.env['TEST_DATA_DIR'] ?? '', role: 'guest' })
  await database.pool.query(`update staff_session set factor_at = factor_at - interval '11 minutes'`)
  await database.close()
}

/** Makes the partner a member of the customer's team. */
async function makeMember(customer: string, partner: string): Promise<void> {
  const database = await openDatabase({ dataDir: process.env['TEST_DATA_DIR'] ?? '', role: 'guest' })
  await database.pool.query(
    `insert into team_member values ($1, $2, 'billing', now()) on conflict do nothing`,
    [customer, partner],
  )
  await database.close()
}

/**
 * A customer who asked to be erased, and one who is blocked. These are taken last, because they change the
 * customer for good.
 */
export const ofEnds = ({ customer, partner }: Found): DeskScreen[] => {
  const path = `/customers/${customer}`
  return [
    { name: 'customer-erasure-asked', path: `/customers/${partner}` },
    {
      name: 'customer-decline-erasure',
      path: `/customers/${partner}`,
      act: acts('deskCustomer:acts.declineErasure'),
      shows: 'customer/DeclineErasureDialog',
    },
    {
      name: 'customer-team-remove',
      path: `${path}?tab=access`,
      act: async (stage) => {
        await makeMember(customer, partner)
        await stage.page.reload()
        await opening('deskCustomer:team.remove')(stage)
      },
      shows: 'customer/RemoveMemberDialog',
    },
    {
      name: 'customer-blocked',
      path,
      act: async (stage) => {
        await opening('deskPages:act.block')(stage)
        await stage.dialog.getByLabel(stage.text('desk:reason.label'), { exact: true }).fill('T-1042')
        await stage.dialog.locator('button[type=submit]').click()
        await stage.dialog.waitFor({ state: 'hidden' })
      },
    },
    {
      name: 'audit-undo',
      path: '/audit?action=block_customer',
      act: opening('deskActions:undo.act'),
      shows: 'audit/UndoDialog',
    },
    {
      name: 'customer-unblock',
      path,
      act: opening('deskPages:act.unblock'),
      shows: 'customer/UnblockDialog',
    },
    {
      name: 'step-up',
      path: '/me',
      act: async (stage) => {
        await ageFactors()
        await opening('deskPages:me.newCodes')(stage)
      },
      shows: 'entry/StepUpDialog',
    },
  ]
}
