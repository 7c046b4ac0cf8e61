/** Each tab of the account, for customers with different pasts, and the dialogs of its lists. */
import { tabHref, tabs } from '#contract/account-tabs'
import type { Shot, Stage } from './shot.ts'

/** Opens the first request of the list that has this word. */
async function openRequest({ page }: Stage, word: string): Promise<void> {
  await page.getByRole('listitem').filter({ hasText: word }).getByRole('link').first().click()
  await page.getByRole('heading', { level: 1 }).first().waitFor()
}

/** An act of a proxy user's card. */
const ofUser =
  (act: 'usageOf' | 'amountOf' | 'listedOf' | 'joinOf' | 'endOf' | 'editOf' | 'renewOf' | 'deleteOf') =>
  async ({ page, text, dialog }: Stage): Promise<void> => {
    const [before = '', after = ''] = text(`proxyUsers:${act}`, { label: '\n' }).split('\n')
    const name = new RegExp(`^${before}.*${after}$`)
    await page.getByRole('button', { name }).first().click()
    await dialog.waitFor()
  }

/** Selects all proxy users that are shown. */
const chooseAll = async ({ page, text }: Stage): Promise<void> => {
  await page.getByLabel(text('proxyUsers:bulk.all')).check()
}

/**
 * The pictures of every tab: of a customer of an hour, one who uses much, the demo's customer, one without
 * traffic, and a new one.
 */
export const tabShots: readonly Shot[] = [
  ...tabs.map((tab) => ({ name: `account-${tab}`, who: 'buyer' as const, path: tabHref(tab) })),
  ...tabs.map((tab) => ({ name: `account-${tab}-new`, who: 'new' as const, path: tabHref(tab) })),
  ...(['main', 'panel', 'statistic', 'requests', 'proxyUsers', 'whitelist'] as const).map((tab) => ({
    name: `account-${tab}-used-up`,
    who: 'used-up' as const,
    path: tabHref(tab),
  })),
  ...(['main', 'statistic', 'requests', 'invoices'] as const).map((tab) => ({
    name: `account-${tab}-busy`,
    who: 'busy' as const,
    path: tabHref(tab),
  })),
  ...(['main', 'statistic', 'invoices', 'referal'] as const).map((tab) => ({
    name: `account-${tab}-demo`,
    who: 'demo' as const,
    path: tabHref(tab),
  })),
]

export const accountShots: readonly Shot[] = [
  { name: 'purchase', who: 'buyer', path: '/purchase' },
  { name: 'promocode', who: 'buyer', path: '/promocode' },
  {
    name: 'account-request-refused',
    who: 'buyer',
    path: '/account?tab=requests',
    act: (stage) => openRequest(stage, '10.1.2.3'),
  },
  {
    name: 'account-request-done',
    who: 'buyer',
    path: '/account?tab=requests',
    act: (stage) => openRequest(stage, stage.text('requests:end.done')),
  },
  {
    name: 'account-request-unknown',
    who: 'buyer',
    path: '/account?request=f3b0c6de-7d5c-4c3e-9a39-0b8a4f1d2c77',
  },
  { name: 'account-usage-by-host', who: 'busy', path: '/account?tab=statistic&by=host' },
  {
    name: 'account-user-new',
    who: 'buyer',
    path: '/account?tab=proxyUsers',
    act: async ({ press, text, dialog }) => {
      await press(text('proxyUsers:create'))
      await dialog.waitFor()
    },
    shows: 'users/UserDialog',
  },
  {
    name: 'account-user-wrong',
    who: 'buyer',
    path: '/account?tab=proxyUsers',
    act: async ({ press, text, dialog }) => {
      await press(text('proxyUsers:create'))
      await dialog.getByRole('button', { name: text('proxyUsers:make') }).click()
    },
  },
  { name: 'account-user-edit', who: 'buyer', path: '/account?tab=proxyUsers', act: ofUser('editOf') },
  {
    name: 'account-user-amount',
    who: 'buyer',
    path: '/account?tab=proxyUsers',
    act: ofUser('amountOf'),
    shows: 'users/AmountDialog',
  },
  {
    name: 'account-user-usage',
    who: 'buyer',
    path: '/account?tab=proxyUsers',
    act: ofUser('usageOf'),
    shows: 'users/UsageDialog',
  },
  {
    name: 'account-user-addresses',
    who: 'buyer',
    path: '/account?tab=proxyUsers',
    act: ofUser('listedOf'),
    shows: 'users/AddressesDialog',
  },
  {
    name: 'account-user-join',
    who: 'buyer',
    path: '/account?tab=proxyUsers',
    act: ofUser('joinOf'),
    shows: 'users/JoinForm',
  },
  {
    name: 'account-user-join-first',
    who: 'used-up',
    path: '/account?tab=proxyUsers',
    act: ofUser('joinOf'),
    shows: 'users/JoinDialog',
  },
  { name: 'account-user-end', who: 'buyer', path: '/account?tab=proxyUsers', act: ofUser('endOf') },
  {
    name: 'account-requests-end',
    who: 'buyer',
    path: '/account?tab=requests',
    act: async ({ press, text, dialog }) => {
      await press(text('requests:endOwn.open'))
      await dialog.waitFor()
    },
    shows: 'requests/EndOwn',
  },
  {
    name: 'account-users-many',
    who: 'buyer',
    path: '/account?tab=proxyUsers',
    act: async (stage) => {
      await chooseAll(stage)
      await stage.press(stage.text('proxyUsers:bulk.freeze'))
      await stage.dialog.waitFor()
    },
    shows: 'users/ManyBar',
  },
  {
    name: 'account-users-left-out',
    who: 'buyer',
    path: '/account?tab=proxyUsers',
    act: async (stage) => {
      await chooseAll(stage)
      await stage.press(stage.text('proxyUsers:bulk.free'))
      await stage.dialog.getByRole('button', { name: stage.text('proxyUsers:bulk.free') }).click()
      await stage.dialog.getByText(stage.text('proxyUsers:bulk.why.unchanged')).first().waitFor()
    },
    shows: 'users/LeftOut',
  },
  { name: 'account-user-renew', who: 'buyer', path: '/account?tab=proxyUsers', act: ofUser('renewOf') },
  {
    name: 'account-user-delete',
    who: 'buyer',
    path: '/account?tab=proxyUsers',
    act: ofUser('deleteOf'),
    shows: 'users/OpenedDialog',
  },
  {
    name: 'account-palette',
    who: 'buyer',
    path: '/account',
    act: async ({ page, dialog }) => {
      await page.keyboard.press('ControlOrMeta+k')
      await dialog.getByRole('option').first().waitFor()
    },
  },
  {
    name: 'account-palette-command',
    who: 'buyer',
    path: '/account',
    act: async ({ page, dialog, language }) => {
      await page.keyboard.press('ControlOrMeta+k')
      const command =
        language === 'ru' ? 'германия 20 строк липкие 10 минут' : 'germany sticky 20 lines 10 minutes'
      await dialog.getByRole('combobox').fill(command)
      await dialog
        .getByText(language === 'ru' ? 'Германия' : 'Germany')
        .first()
        .waitFor()
    },
  },
]
