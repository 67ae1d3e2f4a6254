/**
 * Makes the types and parsers of `src/lib/api/schema` from `app-calls.json`, the server's document of its calls: a file for each
 * of its rooms, for an area of a room that has more than one file may hold, and `shared.ts` for what several files name. Run
 * after the document has changed; a test compares.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Schema {
  $ref?: string;
  type?: string;
  enum?: (string | number)[];
  pattern?: string;
  description?: string;
  items?: Schema;
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | false;
}

interface Content {
  content: Record<string, { schema: Schema }>;
}

interface Operation {
  operationId?: string;
  tags: string[];
  parameters?: { name: string; required: boolean; description?: string; schema: Schema }[];
  requestBody?: Content;
  responses: { 200: Content };
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

export const FOLDER = join(import.meta.dirname, '../src/lib/api/schema');
const HEAD = '// Made by `npm run schema` from app-calls.json, the document that the server makes of its calls.\n';
const SHARED = 'shared';
/** Calls that have a file beside their room's. */
const AREAS: Readonly<Record<string, string>> = {
  wallet_log: 'transfer',
  wallet_transfer: 'transfer',
  wallet_transferable: 'transfer',
  wallet_transfers: 'transfer',
};
const LINE = 120;

const camel = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
const fileOf = (room: string) => `${camel(room)}Calls`;
const shapeOf = (type: string) => `${type.charAt(0).toLowerCase()}${type.slice(1)}Shape`;
const nameOf = (ref: string) => ref.slice(ref.lastIndexOf('/') + 1);
const keyOf = (name: string) => (/^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`);
const literal = (value: string | number) => (typeof value === 'string' ? `'${value}'` : String(value));

function schemaIn({ content }: Content): Schema {
  const [only] = Object.values(content);
  if (!only) throw new Error('a body without a schema');
  return only.schema;
}

/** What a call answers when it is not refused. */
function answerOf(operation: Operation): Record<string, Schema> {
  const done = schemaIn(operation.responses[200]).oneOf?.[0]?.properties;
  if (!done) throw new Error(`${operation.operationId} has no answer`);
  return done;
}

/** The names that a schema is made of, those that they are made of among them. */
function namesIn(schema: Schema, { components }: Document, found = new Set<string>()): Set<string> {
  const more = (part: Schema | false | undefined) => part && namesIn(part, { paths: {}, components }, found);
  if (schema.$ref) {
    const name = nameOf(schema.$ref);
    if (!found.has(name)) {
      found.add(name);
      more(components.schemas[name]);
    }
  }
  more(schema.items);
  more(schema.additionalProperties);
  schema.oneOf?.forEach(more);
  Object.values(schema.properties ?? {}).forEach(more);
  return found;
}

/** The text of one file, and what it takes from others. */
class File {
  readonly #home: (name: string) => string;
  readonly #name: string;
  readonly #shapes = new Set<string>();
  readonly #types = new Set<string>();
  readonly #imports = new Map<string, Set<string>>();
  readonly #parts: string[] = [];

  constructor(name: string, home: (name: string) => string) {
    this.#name = name;
    this.#home = home;
  }

  #shape(name: string): string {
    this.#shapes.add(name);
    return name;
  }

  #import(name: string, from: string): string {
    const home = this.#home(from);
    if (home !== this.#name) {
      const names = this.#imports.get(home) ?? new Set();
      this.#imports.set(home, names.add(name));
    }
    return name;
  }

  #type(schema: Schema, indent: string): string {
    if (schema.$ref) return this.#import(`type ${nameOf(schema.$ref)}`, nameOf(schema.$ref)).slice(5);
    if (schema.oneOf) return schema.oneOf.map((form) => this.#type(form, indent)).join(' | ');
    if (schema.enum) return schema.enum.map(literal).join(' | ');
    switch (schema.type) {
      case 'string':
        if (!schema.pattern) return 'string';
        this.#types.add('Dec');
        return 'Dec';
      case 'integer':
      case 'number':
        return 'number';
      case 'boolean':
        return 'boolean';
      case 'null':
        return 'null';
      case 'array': {
        const row = this.#type(schema.items ?? {}, indent);
        return row.includes(' | ') ? `(${row})[]` : `${row}[]`;
      }
      case 'object':
        if (schema.additionalProperties) return `Record<string, ${this.#type(schema.additionalProperties, indent)}>`;
        return this.#fields(schema, indent);
      default:
        return 'unknown';
    }
  }

  #fields({ properties = {}, required = [] }: Schema, indent: string, type = this.#type.bind(this)): string {
    const inner = `${indent}  `;
    const rows = Object.entries(properties).flatMap(([name, field]) => [
      ...(field.description ? [`${inner}/** ${field.description} */`] : []),
      `${inner}${keyOf(name)}${required.includes(name) ? '' : '?'}: ${type(field, inner)};`,
    ]);
    return rows.length === 0 ? 'Record<never, never>' : `{\n${rows.join('\n')}\n${indent}}`;
  }

  /** What a field of a call may hold: numbers are sent as texts, so an amount may be either. */
  #sent = (schema: Schema, indent: string): string => {
    if (!schema.enum && (schema.pattern || schema.type === 'integer')) return 'string | number';
    return this.#type(schema, indent);
  };

  #check(schema: Schema, indent: string): string {
    if (schema.$ref) return this.#import(shapeOf(nameOf(schema.$ref)), nameOf(schema.$ref));
    if (schema.oneOf)
      return this.#call(
        'either',
        schema.oneOf.map((form) => this.#check(form, indent)),
        indent,
      );
    if (schema.enum) return this.#call('oneOf', schema.enum.map(literal), indent);
    switch (schema.type) {
      case 'string':
        return this.#shape(schema.pattern ? 'decimal' : 'text');
      case 'integer':
        return this.#shape('whole');
      case 'number':
        return this.#shape('number');
      case 'boolean':
        return this.#shape('flag');
      case 'null':
        return this.#shape('nothing');
      case 'array':
        return this.#call('list', [this.#check(schema.items ?? {}, indent)], indent);
      case 'object':
        return schema.additionalProperties
          ? this.#call('map', [this.#check(schema.additionalProperties, indent)], indent)
          : this.#object(schema, indent);
      default:
        return this.#shape('anything');
    }
  }

  #object({ properties = {}, required = [] }: Schema, indent: string): string {
    const inner = `${indent}  `;
    const rows = (always: boolean) => {
      const fields = Object.entries(properties).filter(([name]) => required.includes(name) === always);
      const lines = fields.map(([name, field]) => `${inner}${keyOf(name)}: ${this.#check(field, inner)},`);
      return lines.length === 0 ? undefined : `{\n${lines.join('\n')}\n${indent}}`;
    };
    const optional = rows(false);
    return `${this.#shape('object')}(${rows(true) ?? '{}'}${optional ? `, ${optional}` : ''})`;
  }

  #call(name: string, values: string[], indent: string): string {
    const line = `${this.#shape(name)}(${values.join(', ')})`;
    if (values.length === 1 || indent.length + line.length < LINE - 30) return line;
    return `${name}(\n${values.map((value) => `${indent}  ${value},`).join('\n')}\n${indent})`;
  }

  /** A shape that others name. */
  named(name: string, schema: Schema): void {
    const type = this.#type(schema, '');
    const declared = type.startsWith('{') ? `export interface ${name} ${type}` : `export type ${name} = ${type};`;
    this.#types.add('Shape');
    this.#parts.push(`${declared}\n\nexport const ${shapeOf(name)}: Shape<${name}> = ${this.#check(schema, '')};\n`);
  }

  call(method: string, path: string, operation: Operation): void {
    const { message = {}, data = {} } = answerOf(operation);
    const below = path.replace(/^\/api/, '');
    const name = camel(operation.operationId ?? '');
    const fields: Schema = operation.requestBody
      ? schemaIn(operation.requestBody)
      : {
          properties: Object.fromEntries(
            (operation.parameters ?? []).map(({ name, description, schema }) => [
              name,
              description ? { ...schema, description } : schema,
            ]),
          ),
          required: (operation.parameters ?? []).filter(({ required }) => required).map(({ name }) => name),
        };
    const takes = this.#fields(fields, '', this.#sent);
    const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Fields`;
    const declared = takes.startsWith('{') ? `export interface ${type} ${takes}` : `export type ${type} = ${takes};`;
    const withData = data.type !== 'null';
    const types = [type, this.#type(message, ''), ...(withData ? [this.#type(data, '')] : [])];
    const checks = [this.#check(message, '  '), ...(withData ? [this.#check(data, '  ')] : [])];
    this.#types.add('CallShape');
    const values = [`'${method.toUpperCase()}'`, `'${below}'`, ...checks].map((value) => `  ${value},`);
    this.#parts.push(
      `${declared}\n\n/** \`${method.toUpperCase()} ${path}\` */\n` +
        `export const ${name}: CallShape<${types.join(', ')}> = ${this.#shape('describeCall')}(\n${values.join('\n')}\n);\n`,
    );
  }

  get text(): string {
    const from = (names: Iterable<string>, module: string) =>
      `import { ${[...names].sort((a, b) => (a.replace('type ', '') < b.replace('type ', '') ? -1 : 1)).join(', ')} } from '${module}';\n`;
    const shapes = [...this.#shapes, ...[...this.#types].map((name) => `type ${name}`)];
    const others = [...this.#imports].sort(([a], [b]) => (a < b ? -1 : 1));
    const imports = from(shapes, '../shape') + others.map(([home, names]) => from(names, `./${home}`)).join('');
    return `${HEAD}${imports}\n${this.#parts.join('\n')}`;
  }
}

/** The files, by name. */
export function filesOf(document: Document): Map<string, string> {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method,
      path,
      operation,
      room: fileOf(AREAS[operation.operationId ?? ''] ?? operation.tags[0] ?? ''),
    })),
  );
  // Rows without a name are further ways to a call that has one.
  const calls = operations.filter(({ operation }) => operation.operationId);
  const users = new Map<string, Set<string>>();
  for (const { operation, room } of calls) {
    const { message = {}, data = {} } = answerOf(operation);
    for (const name of [...namesIn(message, document), ...namesIn(data, document)]) {
      users.set(name, (users.get(name) ?? new Set()).add(room));
    }
  }
  const home = (name: string) => {
    const [first, ...others] = users.get(name) ?? [];
    return first === undefined || others.length > 0 ? SHARED : first;
  };
  const files = new Map<string, File>();
  const file = (name: string): File => {
    const known = files.get(name) ?? new File(name, home);
    files.set(name, known);
    return known;
  };
  // A shape comes after those that it is made of.
  const done = new Set<string>();
  const declare = (name: string) => {
    const schema = document.components.schemas[name];
    if (done.has(name) || !schema) return;
    done.add(name);
    for (const part of namesIn(schema, document)) if (part !== name) declare(part);
    file(home(name)).named(name, schema);
  };
  for (const name of users.keys()) declare(name);
  for (const { method, path, operation, room } of calls) file(room).call(method, path, operation);
  return new Map([...files].map(([name, { text }]) => [`${name}.ts`, text]));
}

export const readDocument = (): Document => JSON.parse(readFileSync(join(FOLDER, 'app-calls.json'), 'utf8'));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const old of readdirSync(FOLDER)) if (old.endsWith('.ts')) rmSync(join(FOLDER, old));
  for (const [name, text] of filesOf(readDocument())) writeFileSync(join(FOLDER, name), text);
}
