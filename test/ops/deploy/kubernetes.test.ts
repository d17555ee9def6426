// The manifests of ops/deploy/kubernetes follow the types of the Kubernetes API, and fit each other and the processes.
import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { readProcfile } from '#ops/dev/launch/procfile.js';
import { readConfig } from '#ops/runtime/config.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { DEPLOY, KINDS, makeSecrets, readDocuments, readImageVariables } from './deploy-files.js';

const FOLDER = join(DEPLOY, 'kubernetes');
/** The files whose kinds belong to Kubernetes itself. */
const TYPES: Readonly<Record<string, string>> = {
  'apps/v1 Deployment': 'apps/v1',
  'autoscaling/v2 HorizontalPodAutoscaler': 'autoscaling/v2',
  'batch/v1 Job': 'batch/v1',
  'policy/v1 PodDisruptionBudget': 'policy/v1',
  'v1 ConfigMap': 'core/v1',
  'v1 Service': 'core/v1',
};
/** Of kustomize, the Prometheus operator and a Helm chart. */
const FOREIGN = ['kustomization.yaml', 'pod-monitor.yaml', 'adapter-rules.yaml'];

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}
interface Container {
  readonly image: string;
  readonly args: readonly [string];
  readonly ports?: readonly { readonly name: string }[];
  readonly startupProbe: Probe;
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
  readonly lifecycle?: { preStop: { exec: { command: readonly string[] } } };
  readonly securityContext: object;
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly volumeMounts: readonly { readonly mountPath: string }[];
}
interface Pod {
  readonly containers: readonly [Container];
  readonly terminationGracePeriodSeconds: number;
  readonly volumes: readonly [{ readonly secret: { readonly secretName: string } }];
}
type Labels = Readonly<Record<string, string>>;
interface Resource {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: { readonly name: string };
  readonly data?: Labels;
  readonly spec: {
    readonly selector: { readonly matchLabels: Labels };
    readonly scaleTargetRef: { readonly name: string };
    readonly template: { readonly metadata: { readonly labels: Labels }; readonly spec: Pod };
  };
}

const resources = readdirSync(FOLDER)
  .filter((name) => !FOREIGN.includes(name))
  .flatMap((name) => readDocuments(join(FOLDER, name)) as unknown as readonly Resource[]);
const ofKind = (kind: string): readonly Resource[] =>
  resources.filter((resource) => resource.kind === kind);
const deployments = ofKind('Deployment');
const settings = ofKind('ConfigMap')[0]?.data ?? {};

t.test('each resource has the type of the Kubernetes API', (t) => {
  const lines = resources.map((resource, index) => {
    const module = TYPES[`${resource.apiVersion} ${resource.kind}`];
    t.type(module, 'string', `${resource.apiVersion} ${resource.kind} is known`);
    const type = `import('kubernetes-types/${module}.js').${resource.kind}`;
    // A literal may have no property that its type lacks.
    return `export const resource${index}: ${type} = ${JSON.stringify(resource)};`;
  });
  const file = join(t.testdir({}), 'resources.ts');
  writeFileSync(file, `${lines.join('\n')}\n`);
  const compiler = join(findPackageRoot(), 'node_modules/typescript/bin/tsc');
  const flags = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--types',
    'node',
  ];
  const { status, stdout } = spawnSync(process.execPath, [compiler, ...flags, file], {
    encoding: 'utf8',
  });
  t.equal(status, 0, stdout);
  t.end();
});

t.test('each kind of process has a deployment of its name', (t) => {
  t.same(deployments.map(({ metadata }) => metadata.name).sort(), [...KINDS]);
  for (const { metadata, spec } of deployments) {
    const [container] = spec.template.spec.containers;
    t.same(container.args, [metadata.name]);
    t.ok(readProcfile(findPackageRoot(), metadata.name));
    t.match(spec.template.metadata.labels, spec.selector.matchLabels);
    const ports = container.ports?.map(({ name }) => name) ?? [];
    for (const probe of [
      container.startupProbe,
      container.readinessProbe,
      container.livenessProbe,
    ]) {
      t.ok(ports.includes(probe.httpGet.port), `${metadata.name} has the port of its probe`);
    }
  }
  t.end();
});

t.test('each deployment has a disruption budget', (t) => {
  const budgets = ofKind('PodDisruptionBudget').map(({ spec }) => spec.selector.matchLabels);
  t.same(
    budgets,
    deployments.map(({ spec }) => spec.selector.matchLabels),
  );
  t.end();
});

t.test('autoscalers and the list of files name what exists', (t) => {
  const names = deployments.map(({ metadata }) => metadata.name);
  for (const { spec } of ofKind('HorizontalPodAutoscaler')) {
    t.ok(names.includes(spec.scaleTargetRef.name), spec.scaleTargetRef.name);
  }
  const [kustomization] = readDocuments(join(FOLDER, 'kustomization.yaml'));
  const listed = kustomization?.['resources'] as readonly string[];
  t.same(
    readdirSync(FOLDER).filter((name) => !listed.includes(name)),
    ['adapter-rules.yaml', 'kustomization.yaml', 'migrate.yaml', 'pod-monitor.yaml'],
  );
  t.end();
});

t.test('a pod gets more time than its process takes at its end', (t) => {
  for (const { metadata, spec } of deployments) {
    const { containers, terminationGracePeriodSeconds } = spec.template.spec;
    const [, pauseS = '0'] = containers[0].lifecycle?.preStop.exec.command ?? [];
    const { shutdownMs } = readConfig('start', {});
    t.ok(terminationGracePeriodSeconds * 1000 > shutdownMs + Number(pauseS) * 1000, metadata.name);
  }
  t.end();
});

t.test('each process starts in production with the settings and its secrets', (t) => {
  const secrets = join(t.testdir({}), 'secrets');
  makeSecrets(secrets, 'postgres://db:5432/kasir?sslmode=verify-full', 'rediss://redis:6379');
  for (const { metadata, spec } of deployments) {
    const kind = KINDS.find((name) => name === metadata.name) ?? 'gateway';
    const { containers, volumes } = spec.template.spec;
    t.equal(volumes[0].secret.secretName, `kasir-${kind}`);
    const place = containers[0].env.find(({ name }) => name === 'CREDENTIALS_DIRECTORY')?.value;
    t.equal(containers[0].volumeMounts[0]?.mountPath, place);
    const config = readConfig(kind, {
      ...readImageVariables(),
      ...settings,
      // The address of the pod.
      METRICS_HOST: '10.1.2.3',
      CREDENTIALS_DIRECTORY: join(secrets, kind),
    });
    t.ok(config.isProduction);
    t.match(containers[0].securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
    });
  }
  t.end();
});
