/** The dialogs of the operator's desk, and its pages with something begun on them. */
import { addUnclearReturn } from '../../browser/operator.ts'
import type { DeskScreen, Found } from './screens.ts'
import { ofCustomer, ofEnds } from './customer.ts'
import { ofFactors, ofOutside } from './outside.ts'
import { escaped, opening, opensRow, pressing } from './press.ts'
import type { Stage } from '../shot.ts'

/** Plans a refund of a cent that staff send by hand, anew for each picture. */
const planning = async (stage: Stage): Promise<void> => {
  const { dialog, text } = stage
  await opening('deskPages:refund.act')(stage)
  await dialog.getByText(text('deskPages:refund.kind.amount')).click()
  await dialog.getByLabel(text('deskPages:refund.amountUsd')).fill('0.01')
  await dialog.getByText(text('deskPages:refund.senders.hand')).click()
  await dialog.getByRole('textbox').last().fill('A picture')
  await dialog.locator('button[type=submit]').last().click()
  await stage.page.getByText(text('deskPages:refund.planned')).first().waitFor()
}

const ofMoney = ({ invoice }: Found): DeskScreen[] => [
  {
    name: 'invoice-refund',
    path: `/invoices/${invoice}`,
    act: opening('deskPages:refund.act'),
    shows: 'invoices/RefundDialog',
  },
  { name: 'invoice-refund-planned', path: `/invoices/${invoice}`, act: planning, shows: 'invoices/Ordered' },
  {
    name: 'invoice-refund-send',
    path: `/invoices/${invoice}`,
    act: opening('deskPages:refund.send.act'),
    shows: 'invoices/SendDialog',
  },
  {
    name: 'invoice-refund-drop',
    path: `/invoices/${invoice}`,
    act: opening('deskPages:refund.drop.act'),
    shows: 'invoices/DropDialog',
  },
  {
    name: 'invoice-notification',
    path: `/invoices/${invoice}`,
    act: opening('deskPages:timeline.raw'),
    shows: 'invoices/Notification',
  },
  {
    name: 'invoice-return',
    path: `/invoices/${invoice}`,
    act: async (stage) => {
      await addUnclearReturn(invoice)
      await stage.open(`/invoices/${invoice}`)
      await opening('deskPages:settleReturn.act')(stage)
    },
    shows: 'invoices/SettleReturnDialog',
  },
  { name: 'payments-event', path: '/payments', act: opensRow('tbody button'), shows: 'payments/EventDialog' },
  {
    name: 'payments-fee',
    path: '/payments?tab=processors',
    act: opening('deskMoney:fees.set'),
    shows: 'payments/FeeDialog',
  },
  {
    name: 'payments-test',
    path: '/payments?tab=processors',
    act: opening('deskMoney:test.begin'),
    shows: 'payments/TestPurchaseDialog',
  },
  { name: 'prices-change', path: '/prices', act: pressing('deskPages:prices.change') },
  {
    name: 'prices-save',
    path: '/prices',
    act: async (stage) => {
      await pressing('deskPages:prices.change')(stage)
      await stage.page.locator('main input:not([type=radio])').first().fill('3.4')
      await opening('deskPages:prices.save')(stage)
    },
    shows: 'prices/PriceEditor',
  },
  {
    name: 'currencies-add',
    path: '/prices?tab=currencies',
    act: opening('deskCurrencies:add'),
    shows: 'currencies/AddDialog',
  },
  {
    name: 'currencies-file',
    path: '/prices?tab=currencies',
    act: opening('deskCurrencies:import'),
    shows: 'currencies/RatesFileDialog',
  },
  {
    name: 'currencies-rate',
    path: '/prices?tab=currencies',
    act: async (stage) => {
      await opening('deskCurrencies:add')(stage)
      await stage.dialog.getByRole('combobox').selectOption(stage.language === 'ru' ? 'EUR' : 'KZT')
      await stage.dialog.locator('button[type=submit]').click()
      await stage.dialog.waitFor({ state: 'hidden' })
      await opening('deskCurrencies:set')(stage)
    },
    shows: 'currencies/RateDialog',
  },
  {
    name: 'promo-create',
    path: '/promo-codes',
    act: opening('deskPages:promo.create'),
    shows: 'promo/CreateDialog',
  },
  {
    name: 'promo-change',
    path: '/promo-codes',
    act: opening('deskPages:promo.change'),
    shows: 'promo/ChangeDialog',
  },
  {
    name: 'promo-created',
    path: '/promo-codes',
    act: async (stage) => {
      const { text, dialog, language } = stage
      await opening('deskPages:promo.create')(stage)
      const code = `SPRING-${language.toUpperCase()}`
      await dialog.getByLabel(text('deskPages:promo.code'), { exact: true }).fill(code)
      await dialog.getByLabel(text('deskPages:promo.percent')).fill('10')
      await dialog.locator('button[type=submit]').click()
      await dialog.getByText(code).first().waitFor()
    },
    shows: 'promo/Created',
  },
  {
    name: 'promo-stop',
    path: '/promo-codes',
    act: opening('deskPages:promo.stop'),
    shows: 'promo/StopDialog',
  },
  {
    name: 'promo-stop-batch',
    path: '/promo-codes',
    act: async (stage) => {
      const { text, dialog, language, open } = stage
      const batch = `Fair ${language}`
      await opening('deskPages:promo.create')(stage)
      await dialog.getByText(text('deskPages:promo.batch')).first().click()
      await dialog.getByLabel(text('deskPages:promo.batchName')).fill(batch)
      await dialog.getByLabel(text('deskPages:promo.percent')).fill('10')
      await dialog.locator('button[type=submit]').click()
      await dialog.locator('pre').waitFor()
      await open(`/promo-codes?batch=${encodeURIComponent(batch)}`)
      await opening('deskPages:promo.stopBatch')(stage)
    },
    shows: 'promo/StopBatchDialog',
  },
  {
    name: 'promo-share',
    path: '/promo-codes?tab=campaigns',
    act: opening('deskPages:campaigns.changeShare'),
    shows: 'promo/ShareDialog',
  },
]

/** Begins a price list with a price of its own, anew for each picture. */
const priceList = async (stage: Stage): Promise<void> => {
  const { page, text, language } = stage
  await pressing('deskPages:priceLists.add')(stage)
  await page.getByLabel(text('deskPages:column.name'), { exact: true }).fill(`Wholesale ${language}`)
  await page.locator('main select').first().selectOption('fixed')
  await page.locator('main input[inputmode=decimal]').first().fill('3.1')
}

/** The same list, saved. */
const savedList = async (stage: Stage): Promise<void> => {
  await priceList(stage)
  await opening('deskPages:priceLists.save')(stage)
  await stage.dialog.getByRole('textbox').last().fill('A picture')
  await stage.dialog.locator('button[type=submit]').last().click()
  await stage.dialog.waitFor({ state: 'hidden' })
}

const ofPriceLists: DeskScreen[] = [
  { name: 'price-lists-begun', path: '/prices?tab=lists', act: priceList },
  {
    name: 'price-lists-save',
    path: '/prices?tab=lists',
    act: async (stage) => {
      await priceList(stage)
      await opening('deskPages:priceLists.save')(stage)
    },
    shows: 'prices/ListEditor',
  },
  {
    name: 'price-lists-remove',
    path: '/prices?tab=lists',
    act: async (stage) => {
      await savedList(stage)
      await opening('deskPages:priceLists.remove')(stage)
    },
    shows: 'prices/RemoveDialog',
  },
]

/** A cell of an exit's row opens the dialog whose title it is labelled with. */
const exitCell = (key: string) => async (stage: Stage) => {
  const [, after = ''] = stage.text(key, { name: '\n' }).split('\n')
  const [before = ''] = stage.text(key, { name: '\n' }).split('\n')
  const name = new RegExp(`: ${escaped(before)}.*${escaped(after)}$`)
  await stage.page.getByRole('button', { name }).first().click()
  await stage.dialog.waitFor()
}

const ofTraffic: DeskScreen[] = [
  {
    name: 'traffic-drain',
    path: '/traffic',
    act: opening('deskTraffic:live.drain'),
    shows: 'traffic/GatewayDialog',
  },
  {
    name: 'connections-answer',
    path: '/connections',
    act: opening('deskTraffic:connections.answer'),
    shows: 'connections/AnswerDialog',
  },
  { name: 'exits-add', path: '/exits', act: opening('deskExits:exit.add'), shows: 'exits/AddDialog' },
  { name: 'exits-exit', path: '/exits', act: opensRow('tbody button'), shows: 'exits/ExitDialog' },
  {
    name: 'exits-remove',
    path: '/exits',
    act: async (stage) => {
      await opensRow('tbody button')(stage)
      await pressing('deskExits:exit.removeThis')(stage)
      await stage.page.getByText(stage.text('deskExits:exit.removeText')).waitFor()
    },
    shows: 'exits/RemoveDialog',
  },
  { name: 'exits-cost', path: '/exits', act: exitCell('deskExits:cost.title'), shows: 'exits/CostForm' },
  {
    name: 'exits-refusals',
    path: '/exits',
    act: async ({ page, text, dialog }) => {
      const name = new RegExp(`: ${escaped(text('deskExits:exit.refusals'))}$`)
      await page.getByRole('button', { name }).first().click()
      await dialog.waitFor()
    },
    shows: 'exits/RefusalsDialog',
  },
  {
    name: 'exits-account-add',
    path: '/exits?tab=accounts',
    act: opening('deskSellers:sellers.add'),
    shows: 'accounts/AccountDialog',
  },
  {
    name: 'places-import',
    path: '/places',
    act: opening('deskPlaces:places.import'),
    shows: 'places/ImportDialog',
  },
  {
    name: 'places-remove',
    path: '/places?tab=sources',
    act: opening('deskPlaces:places.remove'),
    shows: 'places/RemoveDialog',
  },
]

const ofShop: DeskScreen[] = [
  {
    name: 'shop-unsaved',
    path: '/shop?tab=home',
    act: async ({ page, text, dialog }) => {
      await page.locator('main textarea').first().fill('A text that is not saved')
      await page.locator('main').getByText(text('deskShop:shop.tab.history')).first().click()
      await dialog.waitFor()
    },
    shows: 'parts/UnsavedDialog',
  },
  { name: 'shop-legal-begun', path: '/shop?tab=legal', act: pressing('deskShop:legal.write') },
  {
    name: 'shop-banner-add',
    path: '/shop?tab=banners',
    act: opening('deskShop:banners.add'),
    shows: 'shop/BannerDialog',
  },
  {
    name: 'shop-banner-edit',
    path: '/shop?tab=banners',
    act: opening('deskShop:banners.edit'),
    shows: 'shop/BannerDialog',
  },
  {
    name: 'shop-banner-remove',
    path: '/shop?tab=banners',
    act: opening('deskShop:shop.remove'),
    shows: 'shop/RemoveDialog',
  },
  {
    name: 'shop-version',
    path: '/shop?tab=history',
    act: opening('deskShop:versions.show'),
    shows: 'shop/VersionDialog',
  },
  {
    name: 'settings-change',
    path: '/settings',
    act: opening('deskSettings:settings.change'),
    shows: 'settings/ChangeDialog',
  },
  {
    name: 'connection',
    path: '/settings?tab=connections',
    act: opening('deskSettings:connections.set'),
    shows: 'settings/ConnectionDialog',
  },
  {
    name: 'connection-test',
    path: '/settings?tab=connections',
    act: opening('deskSettings:connections.test'),
    shows: 'settings/TestDialog',
  },
]

const ofStaff: DeskScreen[] = [
  {
    name: 'staff-invite',
    path: '/staff',
    act: opening('deskPages:staff.invite'),
    shows: 'staff/InviteDialog',
  },
  { name: 'staff-member', path: '/staff', act: opensRow('tbody button'), shows: 'staff/MemberDialog' },
  {
    name: 'palette',
    path: '/',
    act: async ({ page, dialog }) => {
      await page.keyboard.press('ControlOrMeta+k')
      await dialog.getByRole('option').first().waitFor()
    },
    shows: 'palette/Palette',
  },
  {
    name: 'help',
    path: '/',
    act: async ({ page, dialog }) => {
      await page.keyboard.press('?')
      await dialog.waitFor()
    },
    shows: 'frame/HelpDialog',
  },
  {
    name: 'menu',
    path: '/',
    width: 'phone',
    act: async (stage) => {
      await stage.page.getByRole('button', { name: stage.text('desk:menu') }).click()
      await stage.dialog.waitFor()
    },
    shows: 'frame/Frame',
  },
  {
    name: 'me-codes',
    path: '/me',
    act: opening('deskPages:me.newCodes'),
    shows: 'me/Factors',
  },
  {
    name: 'view-save',
    path: '/customers?state=blocked',
    act: opening('desk:views.title', 'desk:views.save'),
    shows: 'table/SaveDialog',
  },
]

/** The list of payouts with a new request, and its dialogs. The last one takes the payout into processing. */
const ofPayouts = ({ partner }: Found): DeskScreen[] => {
  const path = `/payments?tab=payouts&state=open&customer=${partner}`
  const sending: (stage: Stage) => Promise<void> = async (stage) => {
    await opening('deskPayouts:take')(stage)
    await stage.dialog.locator('button[type=submit]').click()
    await stage.dialog.waitFor({ state: 'hidden' })
  }
  return [
    { name: 'payouts-waiting', path },
    { name: 'payouts-take', path, act: opening('deskPayouts:take'), shows: 'payments/TakeDialog' },
    { name: 'payouts-refuse', path, act: opening('deskPayouts:refuse'), shows: 'payments/RefuseDialog' },
    { name: 'payouts-sending', path, act: sending },
    { name: 'payouts-pay', path, act: opening('deskPayouts:pay'), shows: 'payments/PayDialog' },
    {
      name: 'payouts-paid',
      path,
      act: async (stage) => {
        await opening('deskPayouts:pay')(stage)
        await stage.dialog.getByLabel(stage.text('deskPayouts:reference')).fill('4f1c09ab22de77b0c1')
        await stage.dialog.locator('button[type=submit]').click()
        await stage.dialog.waitFor({ state: 'hidden' })
        await stage.open('/payments?tab=payouts')
      },
    },
  ]
}

/** Adds an incident with texts in both languages, anew for each picture. */
const withIncident = async (stage: Stage): Promise<void> => {
  const { dialog } = stage
  await opening('deskStatus:open')(stage)
  for (const field of await dialog.getByRole('textbox').all()) await field.fill('A picture')
  await dialog.locator('button[type=submit]').last().click()
  await dialog.waitFor({ state: 'hidden' })
}

const ofStatus: readonly DeskScreen[] = [
  { name: 'status-open', path: '/status', act: opening('deskStatus:open'), shows: 'status/OpenDialog' },
  {
    name: 'status-update',
    path: '/status',
    act: async (stage) => {
      await withIncident(stage)
      await opening('deskStatus:update')(stage)
    },
    shows: 'status/UpdateDialog',
  },
  {
    name: 'status-correct',
    path: '/status',
    act: opening('deskStatus:correct'),
    shows: 'status/CorrectDialog',
  },
]

/** In the order in which they are taken. */
export const deskDialogs = (found: Found): DeskScreen[] => [
  ...ofCustomer(found),
  ...ofMoney(found),
  ...ofPriceLists,
  ...ofTraffic,
  ...ofShop,
  ...ofStaff,
  ...ofOutside(found),
  ...ofPayouts(found),
  ...ofStatus,
  ...ofEnds(found),
  ...ofFactors,
]
