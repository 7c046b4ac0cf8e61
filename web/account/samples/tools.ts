/** Samples for the tools that customers use most, each complete. Null: the tool cannot use such a line. */
import type { SampleRequest } from './samples.ts'
import { curlSample, proxyUrl } from './samples.ts'

/**
 * A string literal of JavaScript, Python and Go: the escapes of JSON mean the same in all of them, below
 * U+10000.
 */
export const literal = (text: string): string =>
  JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** A string literal of PHP in single quotes, where only these two characters mean something. */
export const phpLiteral = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`

const isSocks = ({ protocol }: SampleRequest) => protocol === 'socks5'
const hasPassword = ({ endpoint }: SampleRequest) => endpoint.credentials !== null
/** Browsers cannot sign in to SOCKS5 with a password. */
const noBrowser = (request: SampleRequest) => isSocks(request) && hasPassword(request)

/** The proxy without the login, as browsers take it. */
function serverOf({ endpoint, protocol }: SampleRequest): string {
  return `${protocol === 'socks5' ? 'socks5' : 'http'}://${endpoint.hostname}:${endpoint.port}`
}

/** For Python with requests, which opens a tunnel for https targets by itself. */
export function pythonSample(request: SampleRequest): string {
  return `import requests

proxy = ${JSON.stringify(proxyUrl(request))}
answer = requests.get(
    ${JSON.stringify(request.target)},
    proxies={"http": proxy, "https": proxy},
    timeout=30,
)
print(answer.text)`
}

/**
 * For Node.js with undici, whose proxy agent opens a tunnel for every target unless `proxyTunnel` is false.
 */
export function nodeSample(request: SampleRequest): string {
  const isSocks = request.protocol === 'socks5'
  const agent = isSocks ? 'Socks5ProxyAgent' : 'ProxyAgent'
  const url = JSON.stringify(proxyUrl(request, 'socks5'))
  const options =
    request.protocol === 'http'
      ? `{ uri: ${url}, proxyTunnel: false }`
      : isSocks
        ? url
        : `{ uri: ${url}, proxyTunnel: true }`
  return `import { ${agent}, fetch } from 'undici'

const dispatcher = new ${agent}(${options})
const answer = await fetch(${JSON.stringify(request.target)}, { dispatcher })
console.log(await answer.text())
await dispatcher.close()`
}

function httpxSample(request: SampleRequest): string {
  return `import httpx

with httpx.Client(proxy=${literal(proxyUrl(request, 'socks5'))}, timeout=30) as client:
    print(client.get(${literal(request.target)}).text)`
}

function scrapySample(request: SampleRequest): string | null {
  if (isSocks(request)) return null
  return `import scrapy


class TrialSpider(scrapy.Spider):
    name = "trial"

    async def start(self):
        yield scrapy.Request(
            ${literal(request.target)},
            meta={"proxy": ${literal(proxyUrl(request))}},
        )

    def parse(self, response):
        print(response.text)`
}

function playwrightSample(request: SampleRequest): string | null {
  if (noBrowser(request)) return null
  const { credentials } = request.endpoint
  const login =
    credentials === null
      ? ''
      : `
    username: ${literal(credentials.login)},
    password: ${literal(credentials.password)},`
  return `import { chromium } from 'playwright'

const browser = await chromium.launch({
  proxy: {
    server: ${literal(serverOf(request))},${login}
  },
})
const page = await browser.newPage()
await page.goto(${literal(request.target)})
console.log(await page.textContent('body'))
await browser.close()`
}

function puppeteerSample(request: SampleRequest): string | null {
  if (noBrowser(request)) return null
  const { credentials } = request.endpoint
  const login =
    credentials === null
      ? ''
      : `
await page.authenticate({
  username: ${literal(credentials.login)},
  password: ${literal(credentials.password)},
})`
  return `import puppeteer from 'puppeteer'

const browser = await puppeteer.launch({ args: [${literal(`--proxy-server=${serverOf(request)}`)}] })
const page = await browser.newPage()${login}
await page.goto(${literal(request.target)})
console.log(await page.$eval('body', (body) => body.textContent))
await browser.close()`
}

function goSample(request: SampleRequest): string {
  return `package main

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

func main() {
	proxy, err := url.Parse(${literal(proxyUrl(request, 'socks5'))})
	if err != nil {
		panic(err)
	}
	client := &http.Client{
		Timeout:   30 * time.Second,
		Transport: &http.Transport{Proxy: http.ProxyURL(proxy)},
	}
	answer, err := client.Get(${literal(request.target)})
	if err != nil {
		panic(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(body))
}`
}

function phpSample(request: SampleRequest): string {
  const tunnel = request.protocol === 'https' ? '\n    CURLOPT_HTTPPROXYTUNNEL => true,' : ''
  return `<?php
$curl = curl_init(${phpLiteral(request.target)});
curl_setopt_array($curl, [
    CURLOPT_PROXY => ${phpLiteral(proxyUrl(request))},${tunnel}
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_TIMEOUT => 30,
]);
$answer = curl_exec($curl);
echo $answer === false ? curl_error($curl) : $answer, PHP_EOL;`
}

/** Chrome asks for a proxy's password in a window of its own, which Selenium cannot fill. */
function seleniumSample(request: SampleRequest): string | null {
  if (hasPassword(request)) return null
  return `from selenium import webdriver

options = webdriver.ChromeOptions()
options.add_argument(${literal(`--proxy-server=${serverOf(request)}`)})
browser = webdriver.Chrome(options=options)
browser.get(${literal(request.target)})
print(browser.find_element("tag name", "body").text)
browser.quit()`
}

/** The tools by the name of their note among the texts. */
export const tools = {
  curl: { name: 'curl', sample: curlSample },
  requests: { name: 'Python: requests', sample: pythonSample },
  httpx: { name: 'Python: httpx', sample: httpxSample },
  scrapy: { name: 'Python: Scrapy', sample: scrapySample },
  selenium: { name: 'Python: Selenium', sample: seleniumSample },
  undici: { name: 'Node.js: undici', sample: nodeSample },
  playwright: { name: 'Node.js: Playwright', sample: playwrightSample },
  puppeteer: { name: 'Node.js: Puppeteer', sample: puppeteerSample },
  go: { name: 'Go', sample: goSample },
  php: { name: 'PHP', sample: phpSample },
} as const satisfies Record<string, { name: string; sample: (request: SampleRequest) => string | null }>

export type Tool = keyof typeof tools
export const toolNames = Object.keys(tools) as Tool[]
