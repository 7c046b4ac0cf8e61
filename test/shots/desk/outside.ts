/**
 * The dialogs of the desk about external services: sellers, places, receipts, top-ups, the group in Telegram.
 */
import { newAuthenticator } from '../../browser/authenticator.ts'
import { withDatabase } from '../database.ts'
import { opening, opensRow } from './press.ts'
import type { DeskScreen, Found } from './screens.ts'
import { askForCode, linkGroup } from './setup.ts'
import type { Stage } from '../shot.ts'

const accounts = '/exits?tab=accounts'

/** A dialog that is opened from the dialog of the seller's account. */
const ofAccount =
  (key: string) =>
  async (stage: Stage): Promise<void> => {
    await opensRow('tbody button')(stage)
    await stage.dialog.getByRole('button', { name: stage.text(key), exact: true }).click()
    await stage.dialog.waitFor()
  }

const ofSellers: DeskScreen[] = [
  {
    name: 'exits-stock',
    path: '/exits',
    act: async ({ page, text, dialog }) => {
      const name = text('deskExits:stock.title', { name: 'lumen' })
      await page
        .getByRole('button', { name: new RegExp(`: ${name}$`) })
        .first()
        .click()
      await dialog.waitFor()
    },
    shows: 'exits/StockDialog',
  },
  { name: 'exits-account-set', path: accounts, act: opensRow('tbody button') },
  {
    name: 'exits-account-bill',
    path: accounts,
    act: opening('deskSellers:sellers.bill'),
    shows: 'accounts/BillDialog',
  },
  {
    name: 'exits-account-places',
    path: accounts,
    act: opening('deskSellers:sellers.decide'),
    shows: 'accounts/PlacesDialog',
  },
  {
    name: 'exits-account-answers',
    path: accounts,
    act: ofAccount('deskSellers:sellers.answers'),
    shows: 'accounts/Answers',
  },
  {
    name: 'exits-account-remove',
    path: accounts,
    act: ofAccount('deskSellers:sellers.remove'),
    shows: 'accounts/RemoveDialog',
  },
  {
    name: 'places-restore',
    path: '/places?tab=sources',
    act: opening('deskPlaces:places.goBack'),
    shows: 'places/RestoreDialog',
  },
]

const alerts = '/settings?tab=alerts'

/** The order matters: the second picture links the group. */
const ofGroup: DeskScreen[] = [
  { name: 'alerts-code', path: alerts, act: async (stage) => void (await askForCode(stage)) },
  { name: 'alerts-linked', path: alerts, act: linkGroup },
  {
    name: 'alerts-unlink',
    path: alerts,
    act: opening('deskSettings:alerts.unlink'),
    shows: 'settings/UnlinkDialog',
  },
]

export const ofOutside = ({ customer }: Found): DeskScreen[] => [
  ...ofSellers,
  ...ofGroup,
  {
    name: 'receipts-register',
    path: '/payments?tab=receipts',
    act: opening('deskReceipts:mark.act'),
    shows: 'subjects/RegisterReceiptDialog',
  },
  {
    name: 'customer-top-up-off',
    path: `/customers/${customer}?tab=access`,
    act: opening('deskCustomer:topUp.switchOff'),
    shows: 'customer/SwitchOffDialog',
  },
]

/** The view of members who may read but not change anything. */
export const ofViewers: DeskScreen[] = [
  {
    name: 'exits-health',
    path: '/exits?exit=1',
    act: ({ dialog }) => dialog.waitFor(),
    shows: 'exits/HealthDialog',
  },
  {
    name: 'exits-costs-seen',
    path: '/exits',
    act: async ({ page, text, dialog }) => {
      const [before = ''] = text('deskExits:cost.title', { name: '\n' }).split('\n')
      await page
        .getByRole('button', { name: new RegExp(before) })
        .first()
        .click()
      await dialog.waitFor()
    },
    shows: 'exits/CostDialog',
  },
]

/** Makes the second factor of all sessions fresh. */
const freshFactor = () => withDatabase(({ pool }) => pool.query('update staff_session set factor_at = now()'))

const row = ({ page }: Stage, name: string) => page.getByRole('listitem').filter({ hasText: name })

/** These are taken last: a passkey replaces the authenticator app. */
export const ofFactors: DeskScreen[] = [
  {
    name: 'me-totp',
    path: '/me',
    act: async (stage) => {
      const { page, text, dialog } = stage
      await freshFactor()
      await newAuthenticator(page)
      await row(stage, text('deskPages:me.newPasskey')).getByRole('button').click()
      // It shows new recovery codes.
      await dialog.waitFor()
      await stage.open('/me')
      await row(stage, text('deskJoin:totp')).getByRole('button').click()
      await row(stage, text('deskPages:me.totpOff')).getByRole('button').click()
      await dialog.getByRole('img').first().waitFor()
    },
    shows: 'me/TotpDialog',
  },
]
