/** The default texts of the program. */
import { ownAccent } from '#contract/colours'
import type { Content } from '#contract/desk/content'

const noTexts: Content['legal']['ru'] = {
  terms: null,
  privacy: null,
  personal_data: null,
  refund: null,
  acceptable_use: null,
  requisites: null,
  abuse: null,
}

/** The default texts, which are true of any shop that runs on Turnpike. */
export const defaults: Content = {
  brand: {
    name: 'Turnpike',
    logo_text: 'Turnpike',
    logo: null,
    logo_dark: null,
    icon: null,
    accent: ownAccent,
  },

  home: { ru: { heading: null, lead: null }, en: { heading: null, lead: null } },

  // No external addresses: a link that the operator has not set is not shown.
  links: { bot: null, support: null, channel: null, enterprise: null },

  rules: {
    ru: {
      title: 'Правила',
      subtitle: 'Коротко о том, что можно и чего нельзя. Покупая трафик, вы с этим соглашаетесь.',
      rules: [
        {
          text: 'Прокси нельзя использовать для спама, подбора паролей, атак, сканирования чужих сетей и всего, что запрещено законом. Почтовые порты закрыты.',
          more_link: null,
        },
        {
          text: 'Трафик считается по байтам в обе стороны. Если в строке выбраны штат, город, индекс или ASN, гигабайт считается за два. Отказы и сбои соединения на наших выходах бесплатны; данные, которые получил сайт, считаются.',
          more_link: null,
        },
        {
          text: 'Купленный трафик не сгорает со временем. Вопросы об оплате и возврате решает поддержка: назовите номер счёта.',
          more_link: null,
        },
        {
          text: 'Логин и пароль прокси — ваши: за трафик, потраченный по ним, отвечаете вы. Если строки попали в чужие руки, смените пароль пула в разделе «Безопасность», старые соединения закроются сразу.',
          more_link: null,
        },
      ],
      partner: null,
      ending: 'За нарушение правил доступ закрывается.',
      note: 'Если сомневаетесь, подходит ли ваша задача, спросите поддержку до покупки.',
    },
    en: {
      title: 'Rules',
      subtitle: 'What you may do, and what you may not, in short. Buying traffic means you agree.',
      rules: [
        {
          text: 'The proxies are not for spam, password guessing, attacks, scanning of other people’s networks or anything the law forbids. Mail ports are closed.',
          more_link: null,
        },
        {
          text: 'Traffic is counted in bytes, both ways. A line that names a state, a city, a zip code or an ASN counts each gigabyte twice. Refusals and failed connections of our exits are free; what the target has received is charged.',
          more_link: null,
        },
        {
          text: 'Traffic you have bought does not expire. Support answers questions about payments and refunds: tell them the invoice number.',
          more_link: null,
        },
        {
          text: 'The proxy login and password are yours, and so is the traffic spent with them. If lines have fallen into other hands, change the pool’s password under Security: open connections end at once.',
          more_link: null,
        },
      ],
      partner: null,
      ending: 'Access is closed when the rules are broken.',
      note: 'If you are not sure that your task fits, ask support before you buy.',
    },
  },

  reviews: {
    ru: {
      intro: 'Что о нас пишут на форумах. Темы открываются на чужих сайтах, отзывы в них мы не правим.',
      links: [],
    },
    en: {
      intro: 'What people write about us on forums. The threads are on other sites; we do not edit them.',
      links: [],
    },
  },

  // The program cannot know an operator's legal duties: until a text is published, a draft is shown.
  legal: { ru: noTexts, en: noTexts, without: [] },

  payments: {},

  seller: { ru: null, en: null },

  notice: { ru: null, en: null, starts_at: null, ends_at: null },
}
