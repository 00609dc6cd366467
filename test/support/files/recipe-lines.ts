import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { SaxesParser } from 'saxes'

/** The command lines of the recipes in `examples/`, with what their CI fills in. */

export const EXAMPLES = resolve(import.meta.dirname, '../../../examples')
export const readExample = (file: string) => readFileSync(join(EXAMPLES, file), 'utf8')

export function lineIn(file: string, pattern: RegExp): string {
  const [, line] = pattern.exec(readExample(file)) ?? []
  if (line === undefined) throw new Error(`${file} has no line like ${pattern}`)
  return line
}

/** Elements of an XML document, with their attributes and own text. */
function elementsOf(file: string) {
  const elements: { name: string; attributes: Record<string, string>; text: string }[] = []
  const open: typeof elements = []
  const parser = new SaxesParser()
  parser.on('opentag', ({ name, attributes }) => {
    open.push({ name, attributes: attributes as Record<string, string>, text: '' })
    elements.push(open.at(-1)!)
  })
  const add = (more: string) => {
    if (open.length > 0) open.at(-1)!.text += more
  }
  parser.on('text', add)
  parser.on('cdata', add)
  parser.on('closetag', () => void open.pop())
  parser.on('error', (error) => {
    throw error
  })
  parser.write(readExample(file)).close()
  return elements
}

export function teamCityLine() {
  const params = elementsOf('teamcity/goldmaster-run.xml').filter(({ name }) => name === 'param')
  const paramOf = (name: string) => params.find(({ attributes }) => attributes.name === name)!
  return paramOf('script.content').text.replace(/%([\w.]+)%/g, (_, name: string) => paramOf(name).attributes.value!)
}

export function hordeLine() {
  const elements = elementsOf('horde/Goldmaster.xml')
  const paramOf = (name: string) => {
    const { attributes } = elements.find((each) => each.attributes.Name === name)!
    return (attributes.Value ?? attributes.DefaultValue)!
  }
  const { Exe, Arguments } = elements.find(({ name }) => name === 'Spawn')!.attributes
  return `${Exe} ${Arguments!.replace(/\$\((\w+)\)/g, (_, name: string) => paramOf(name))}`
}

export const azureLine = () => lineIn('azure-pipelines/azure-pipelines.yml', /- script: (.+)/)

/** The lines that the shared step of Jenkins runs with `sh` or `bat`, with what Groovy fills in, and the build that it is given. */
export function jenkinsStep(shell: 'sh' | 'bat', host: string) {
  const file = 'jenkins/vars/goldmasterRun.groovy'
  const options = lineIn(file, /goldmasterRun\((.+)\)/)
  const listOf = (name: string) =>
    [...new RegExp(`${name}: \\[(.+?)\\]`).exec(options)![1]!.matchAll(/'(.+?)'/g)].map(([, one]) => one)
  const flags = ['tests', 'artifacts'].flatMap((name) => {
    const flag = lineIn(file, new RegExp(`options\\.${name} .*"(--\\w+) `))
    return listOf(name).map((pattern) => `${flag} "${pattern}"`)
  })
  const lines = lineIn(file, new RegExp(` ${shell} """\\n([\\s\\S]+?)"""`))
  return {
    build: /run: '(.+?)'/.exec(options)![1]!,
    lines: lines.replace(/\$\{host\}/g, () => host).replace(/\$\{flags[^}]+\}/, () => flags.join(' ')),
  }
}
