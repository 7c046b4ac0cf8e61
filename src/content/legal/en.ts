/** The English drafts of the legal pages: short texts that an operator completes with a lawyer. */
import { type Drafts, type LegalFacts, paragraphs } from './facts.ts'

const sellerOf = ({ seller, shop }: LegalFacts) => seller?.name ?? `the owner of the shop “${shop}”`
const contactOf = ({ seller, support }: LegalFacts) =>
  [seller?.contacts ?? null, support].filter((one) => one !== null).join(', ') ||
  'through the shop’s support (no address is given yet)'

export const english: Drafts = {
  terms: (facts) => ({
    title: 'Terms of service',
    text: paragraphs(
      '# Who offers what',
      `The seller is ${sellerOf(facts)}. The seller offers access to the proxy servers of the shop “${facts.shop}”, paid by the amount of data that is transferred (traffic). This text is a public offer: the contract is made when the buyer has signed up and paid an invoice.`,
      '# Price and payment',
      'The prices per gigabyte are shown on the site before payment. An invoice shows its sum and the payment method before the buyer pays. A gigabyte is 1,000,000,000 bytes, counted both ways; the rules say when a gigabyte counts as two.',
      '# How the service is delivered',
      'Traffic is credited to the account as soon as the payment processor has confirmed the payment, and can be used from then on. Unused traffic does not expire. The account shows what is left and what was used.',
      '# Duties',
      'The seller runs the service, keeps the buyer’s data as the privacy policy says, and answers requests. The buyer follows the rules of the shop and the page on acceptable use, and keeps the passwords secret. The seller may close access when the rules are broken.',
      '# Liability',
      'The seller is not liable for sites that the buyer connects to, nor for interruptions caused by third parties. The seller’s liability is limited to what the buyer has paid for unused traffic, unless the law demands more.',
      '# Refunds, disputes and changes',
      'The page on refunds says how money is returned. Disputes are first settled in writing: a claim is answered within 10 days. A new version of this offer applies to purchases made after it was published.',
      `How to reach the seller: ${contactOf(facts)}. The company details are on a page of their own.`,
    ),
  }),
  privacy: (facts) => ({
    title: 'Privacy policy',
    text: paragraphs(
      `Which data the shop “${facts.shop}” keeps, why and for how long. ${facts.seller === null ? 'The owner of the shop' : facts.seller.name} is responsible for it.`,
      '# What we keep',
      'The account: user name, e-mail address, hashed password, language, and the Telegram number if one is linked. Sign-ins: time, IP address and browser. Purchases: invoices, payments, refunds, receipts. We do not have card details: they stay with the payment processor.',
      'Use: traffic by the hour, and records of connections: time, the address you connected from, the name of the site, the amount. We neither read nor keep what is transferred. A switch in the account stops names of sites from being kept.',
      '# Why',
      'To perform the contract, count traffic, protect accounts, answer complaints and obey the law: keep books and answer lawful requests. The site has no advertising and no analytics of others.',
      '# Who receives it',
      'The payment processor: what a payment and a receipt need. Suppliers of proxies: the target of a connection. Authorities: on a lawful demand. Nobody else.',
      '# How long',
      'Records of connections are deleted after the times set in the shop. Data of an account is kept while it exists. Documents of payments are kept as long as the law demands.',
      '# Your rights',
      `The profile lets you download all your data and ask for its erasure. For anything else write to us: ${contactOf(facts)}. We answer within 30 days.`,
    ),
  }),
  personal_data: (facts) => ({
    title: 'Consent to the processing of personal data',
    text: paragraphs(
      `I freely agree that ${sellerOf(facts)}${facts.seller === null ? '' : `, ${facts.seller.address},`} processes my personal data.`,
      'Purpose: to open and keep the account, perform the contract and give support.',
      'Data: user name, e-mail address, Telegram number, IP addresses, the browser, orders, payments and the use of the service.',
      'Processing: collecting, recording, storing, correcting, using, passing on to payment processors and suppliers as far as the contract needs it, blocking and erasing, by automatic means and without them.',
      `The consent holds while the account exists, or until it is withdrawn: by an erasure in the profile, or in writing: ${contactOf(facts)}. After that only what the law demands is kept.`,
    ),
  }),
  refund: (facts) => ({
    title: 'Refunds',
    text: paragraphs(
      '# When money is returned',
      'Money is returned for traffic that was not used, and for used traffic if the service did not work through our fault. Bonus traffic is not paid out.',
      '# How to ask',
      `Write to us: ${contactOf(facts)}. Name the invoice number and the reason. We answer within 3 working days.`,
      '# How the money arrives',
      'The way you have paid. We send a refund within 10 days of the decision; how long it takes to arrive depends on the bank and the payment processor. A refund has a document of its own.',
    ),
  }),
  acceptable_use: (facts) => ({
    title: 'Acceptable use',
    text: paragraphs(
      `The proxies of “${facts.shop}” are for lawful work: checking advertisements and prices, testing, collecting public data, protecting trademarks and the like.`,
      '# Forbidden',
      'Spam and unsolicited mailings; guessing passwords and breaking in; attacks and scanning of other people’s networks; fraud and payments with other people’s cards; malware; material of child abuse; violating the rights of others; and anything the law forbids in your country or the seller’s.',
      '# What we do about it',
      'Mail ports are closed. On a complaint or signs of abuse, access is suspended until it is cleared up, and closed if it is confirmed.',
      '# Who answers for it',
      'You answer for all that is done with your proxy login, also by those you gave it to.',
    ),
  }),
  requisites: ({ seller, shop }) => ({
    title: 'Company details',
    text:
      seller === null
        ? `The seller of the shop “${shop}” has not entered the company details yet.`
        : paragraphs(
            `# ${seller.name}`,
            `Address: ${seller.address}`,
            seller.tax_ids,
            seller.bank === null ? null : `Bank: ${seller.bank}`,
            seller.contacts === null ? null : `Contacts: ${seller.contacts}`,
            seller.tax_note,
          ),
  }),
  abuse: (facts) => ({
    title: 'Report abuse',
    text: paragraphs(
      'If you are attacked or sent spam from an address of our proxies, or your rights are violated, tell us.',
      `Write to: ${contactOf(facts)}.`,
      '# What to tell',
      'The IP address that the connection came from, the time with its zone, the target address and port, what happened, and an excerpt of the log. We find the connection by these.',
      '# What happens then',
      'We confirm that we have it, look at the records and close the abuser’s access. Urgent reports are handled within a day, others within 3 working days.',
    ),
  }),
}
