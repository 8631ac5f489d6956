//! The few JVMTI and JNI calls that the agent makes, over the raw function tables.

use std::ffi::{CStr, CString, c_char, c_void};
use std::{mem, ptr};

use jvmti_bindings::sys::jni::{
    self, JNIEnv, JNINativeMethod, JavaVM, jclass, jint, jmethodID, jobject, jvalue,
};
use jvmti_bindings::sys::jvmti::{self, jvmtiCapabilities, jvmtiEnv, jvmtiEvent, jvmtiEventCallbacks};

/// The JVMTI environment. One per agent, valid for the life of the JVM and usable from any thread.
#[derive(Clone, Copy)]
pub struct Jvmti(*mut jvmtiEnv);

// SAFETY: the specification allows the use of a JVMTI environment from every thread.
unsafe impl Send for Jvmti {}
// SAFETY: as above.
unsafe impl Sync for Jvmti {}

const JVMTI_VERSION_11: jint = 0x300B_0000;

impl Jvmti {
    /// # Safety
    /// `vm` must be the pointer that the JVM passed to `Agent_OnLoad`.
    pub unsafe fn get(vm: *mut JavaVM) -> Option<Jvmti> {
        let mut env: *mut c_void = ptr::null_mut();
        // SAFETY: vm is valid, the table of a JavaVM always has GetEnv.
        let status = unsafe { ((**vm).GetEnv)(vm, &mut env, JVMTI_VERSION_11) };
        (status == 0 && !env.is_null()).then_some(Jvmti(env.cast()))
    }

    fn table(&self) -> &jvmti::jvmtiInterface_1_ {
        // SAFETY: the environment and its function table live as long as the JVM.
        unsafe { &*(*self.0).functions }
    }

    pub fn add_capabilities(&self) -> bool {
        let mut wanted = jvmtiCapabilities::for_class_file_load_hook();
        wanted.set_can_retransform_classes(true);
        // SAFETY: valid environment and pointer.
        self.table().AddCapabilities.is_some_and(|f| unsafe { f(self.0, &wanted) } == jvmti::jvmtiError::NONE)
    }

    pub fn set_callbacks(&self, callbacks: &jvmtiEventCallbacks, feature: u16) -> bool {
        let size = jvmti::event_callbacks_size_for_feature(feature);
        // SAFETY: valid environment; the VM copies `size` bytes of the table.
        self.table()
            .SetEventCallbacks
            .is_some_and(|f| unsafe { f(self.0, callbacks, size) } == jvmti::jvmtiError::NONE)
    }

    pub fn enable(&self, event: jvmtiEvent) -> bool {
        // SAFETY: valid environment; a null thread means all threads.
        self.table().SetEventNotificationMode.is_some_and(
            |f| unsafe { f(self.0, jvmti::JVMTI_ENABLE, event, ptr::null_mut()) } == jvmti::jvmtiError::NONE,
        )
    }

    pub fn property(&self, name: &CStr) -> Option<String> {
        let mut value: *mut c_char = ptr::null_mut();
        // SAFETY: valid environment; on success `value` is a string that we must deallocate.
        unsafe {
            if self.table().GetSystemProperty?(self.0, name.as_ptr(), &mut value) != jvmti::jvmtiError::NONE {
                return None;
            }
            let text = CStr::from_ptr(value).to_string_lossy().into_owned();
            self.table().Deallocate?(self.0, value.cast());
            Some(text)
        }
    }

    /// A copy of `bytes` in memory that the JVM will free.
    pub fn allocate(&self, bytes: &[u8]) -> Option<*mut u8> {
        let mut memory: *mut u8 = ptr::null_mut();
        // SAFETY: valid environment; on success `memory` has room for all bytes.
        unsafe {
            if self.table().Allocate?(self.0, bytes.len() as i64, &mut memory) != jvmti::jvmtiError::NONE {
                return None;
            }
            ptr::copy_nonoverlapping(bytes.as_ptr(), memory, bytes.len());
        }
        Some(memory)
    }

    /// The name of a class, with slashes.
    pub fn class_name(&self, class: jclass) -> Option<String> {
        let (signature_of, free) = (self.table().GetClassSignature?, self.table().Deallocate?);
        let mut signature = ptr::null_mut();
        // SAFETY: valid environment and class; the text is copied and given back.
        unsafe {
            if signature_of(self.0, class, &mut signature, ptr::null_mut()) != jvmti::jvmtiError::NONE {
                return None;
            }
            let text = CStr::from_ptr(signature).to_string_lossy().into_owned();
            free(self.0, signature.cast());
            Some(text.strip_prefix('L').and_then(|name| name.strip_suffix(';')).unwrap_or(&text).to_owned())
        }
    }

    /// The instance fields that a class declares.
    pub fn instance_fields(&self, class: jclass) -> Vec<Field> {
        let table = self.table();
        let (Some(get), Some(name_of), Some(modifiers_of), Some(free)) =
            (table.GetClassFields, table.GetFieldName, table.GetFieldModifiers, table.Deallocate)
        else {
            return vec![];
        };
        let mut fields = Vec::new();
        // SAFETY: valid environment and class; all memory that the VM hands out is copied and given back.
        unsafe {
            let (mut count, mut list) = (0, ptr::null_mut());
            if get(self.0, class, &mut count, &mut list) != jvmti::jvmtiError::NONE {
                return vec![];
            }
            for i in 0..count as usize {
                let id = *list.add(i);
                let (mut modifiers, mut name, mut descriptor) = (0, ptr::null_mut(), ptr::null_mut());
                if modifiers_of(self.0, class, id, &mut modifiers) != jvmti::jvmtiError::NONE
                    || modifiers & 8 != 0
                {
                    continue;
                }
                if name_of(self.0, class, id, &mut name, &mut descriptor, ptr::null_mut())
                    != jvmti::jvmtiError::NONE
                {
                    continue;
                }
                fields.push(Field {
                    name: CStr::from_ptr(name).to_string_lossy().into_owned(),
                    descriptor: CStr::from_ptr(descriptor).to_string_lossy().into_owned(),
                });
                free(self.0, name.cast());
                free(self.0, descriptor.cast());
            }
            free(self.0, list.cast());
        }
        fields
    }

    /// Whether a class declares a method, without having the class initialised or anything else loaded.
    pub fn declares(&self, class: jclass, name: &CStr, descriptor: &CStr) -> bool {
        let table = self.table();
        let (Some(get), Some(name_of), Some(free)) =
            (table.GetClassMethods, table.GetMethodName, table.Deallocate)
        else {
            return false;
        };
        let mut found = false;
        // SAFETY: valid environment and class; all memory that the VM hands out is looked at and given back.
        unsafe {
            let (mut count, mut list) = (0, ptr::null_mut());
            if get(self.0, class, &mut count, &mut list) != jvmti::jvmtiError::NONE {
                return false;
            }
            for i in 0..count as usize {
                let (mut text, mut signature) = (ptr::null_mut(), ptr::null_mut());
                if name_of(self.0, *list.add(i), &mut text, &mut signature, ptr::null_mut())
                    == jvmti::jvmtiError::NONE
                {
                    found |= CStr::from_ptr(text) == name && CStr::from_ptr(signature) == descriptor;
                    free(self.0, text.cast());
                    free(self.0, signature.cast());
                }
            }
            free(self.0, list.cast());
        }
        found
    }

    /// Names the classes of the methods on the current thread's stack, from the top, as long as it is wanted.
    pub fn stack_classes(&self, jni: Jni, depth: usize, mut more: impl FnMut(&str) -> bool) {
        let table = self.table();
        let (Some(trace), Some(class_of), Some(signature_of), Some(free)) =
            (table.GetStackTrace, table.GetMethodDeclaringClass, table.GetClassSignature, table.Deallocate)
        else {
            return;
        };
        // SAFETY: valid environment; a null thread is the current one; the list has room for `depth` frames; all that
        // the VM hands out is given back.
        unsafe {
            let mut frames = vec![mem::zeroed::<jvmti::jvmtiFrameInfo>(); depth];
            let mut count = 0;
            if trace(self.0, ptr::null_mut(), 0, depth as jint, frames.as_mut_ptr(), &mut count)
                != jvmti::jvmtiError::NONE
            {
                return;
            }
            for frame in &frames[..count as usize] {
                let (mut class, mut signature) = (ptr::null_mut(), ptr::null_mut());
                if class_of(self.0, frame.method, &mut class) != jvmti::jvmtiError::NONE {
                    return;
                }
                let known = signature_of(self.0, class, &mut signature, ptr::null_mut());
                jni.drop_local(class);
                if known != jvmti::jvmtiError::NONE {
                    return;
                }
                let name = CStr::from_ptr(signature).to_string_lossy().into_owned();
                free(self.0, signature.cast());
                if !more(name.trim_start_matches('L').trim_end_matches(';')) {
                    return;
                }
            }
        }
    }

    /// Every class that is loaded, with its signature.
    pub fn loaded_classes(&self) -> Vec<(jclass, String)> {
        let table = self.table();
        let (Some(get), Some(signature_of), Some(free)) =
            (table.GetLoadedClasses, table.GetClassSignature, table.Deallocate)
        else {
            return vec![];
        };
        let mut classes = Vec::new();
        // SAFETY: valid environment; the classes are local references, the rest is copied and given back.
        unsafe {
            let (mut count, mut list) = (0, ptr::null_mut());
            if get(self.0, &mut count, &mut list) != jvmti::jvmtiError::NONE {
                return vec![];
            }
            for i in 0..count as usize {
                let class = *list.add(i);
                let mut signature = ptr::null_mut();
                if signature_of(self.0, class, &mut signature, ptr::null_mut()) == jvmti::jvmtiError::NONE {
                    classes.push((class, CStr::from_ptr(signature).to_string_lossy().into_owned()));
                    free(self.0, signature.cast());
                }
            }
            free(self.0, list.cast());
        }
        classes
    }

    /// Every module, as an object.
    pub fn modules(&self) -> Vec<jobject> {
        let (Some(get), Some(free)) = (self.table().GetAllModules, self.table().Deallocate) else {
            return vec![];
        };
        let (mut count, mut list) = (0, ptr::null_mut());
        // SAFETY: valid environment; the modules are local references, their list is copied and given back.
        unsafe {
            if get(self.0, &mut count, &mut list) != jvmti::jvmtiError::NONE {
                return vec![];
            }
            let modules = (0..count as usize).map(|i| *list.add(i)).collect();
            free(self.0, list.cast());
            modules
        }
    }

    /// Has loaded classes pass the load hook again; the JVM's error, if it refuses.
    pub fn retransform(&self, classes: &[jclass]) -> Result<(), String> {
        let Some(f) = self.table().RetransformClasses else { return Err("not offered".into()) };
        // SAFETY: valid environment; the classes are local references of the calling thread.
        let error = unsafe { f(self.0, classes.len() as jint, classes.as_ptr()) };
        if error == jvmti::jvmtiError::NONE { Ok(()) } else { Err(format!("{error:?}")) }
    }

    /// Whether a class was defined by another loader than the boot loader.
    pub fn has_loader(&self, jni: Jni, class: jclass) -> bool {
        let mut loader = ptr::null_mut();
        // SAFETY: valid environment and class; the loader is a local reference, or null.
        let known = self
            .table()
            .GetClassLoader
            .is_some_and(|f| unsafe { f(self.0, class, &mut loader) } == jvmti::jvmtiError::NONE);
        jni.drop_local(loader);
        known && !loader.is_null()
    }

    pub fn is_modifiable(&self, class: jclass) -> bool {
        let mut modifiable = 0;
        // SAFETY: valid environment and class.
        self.table()
            .IsModifiableClass
            .is_some_and(|f| unsafe { f(self.0, class, &mut modifiable) } == jvmti::jvmtiError::NONE)
            && modifiable != 0
    }
}

/// A field of a class.
pub struct Field {
    pub name: String,
    pub descriptor: String,
}

/// The current thread's JNI environment.
#[derive(Clone, Copy)]
pub struct Jni(*mut JNIEnv);

impl Jni {
    /// # Safety
    /// `env` must be the current thread's environment, and the result must not leave the callback it came with.
    pub unsafe fn new(env: *mut JNIEnv) -> Jni {
        Jni(env)
    }

    fn table(&self) -> &jni::JNINativeInterface_ {
        // SAFETY: the environment is valid as promised to `new`.
        unsafe { &**self.0 }
    }

    /// Where the environment is: inside the VM's structure for the thread.
    pub fn address(&self) -> usize {
        self.0 as usize
    }

    /// Clears a pending exception; true if there was one.
    pub fn clear_exception(&self) -> bool {
        // SAFETY: valid environment.
        unsafe {
            let pending = (self.table().ExceptionCheck)(self.0) != 0;
            if pending {
                (self.table().ExceptionClear)(self.0);
            }
            pending
        }
    }

    /// Defines a class in the boot loader.
    pub fn define(&self, name: &str, bytes: &[u8]) -> Option<jclass> {
        let name = CString::new(name).ok()?;
        // SAFETY: valid environment, name and buffer.
        let class = unsafe {
            (self.table().DefineClass)(
                self.0,
                name.as_ptr(),
                ptr::null_mut(),
                bytes.as_ptr().cast(),
                bytes.len() as jint,
            )
        };
        (!self.clear_exception() && !class.is_null()).then_some(class)
    }

    pub fn find(&self, name: &CStr) -> Option<jclass> {
        // SAFETY: valid environment and name.
        let class = unsafe { (self.table().FindClass)(self.0, name.as_ptr()) };
        (!self.clear_exception() && !class.is_null()).then_some(class)
    }

    pub fn global(&self, object: jobject) -> jobject {
        // SAFETY: valid environment and reference.
        unsafe { (self.table().NewGlobalRef)(self.0, object) }
    }

    pub fn drop_local(&self, object: jobject) {
        // SAFETY: valid environment; null is allowed.
        unsafe { (self.table().DeleteLocalRef)(self.0, object) }
    }

    /// # Safety
    /// Each function must have the signature that its descriptor says.
    pub unsafe fn register(&self, class: jclass, natives: &[(&CStr, &CStr, *mut c_void)]) -> bool {
        let methods: Vec<JNINativeMethod> = natives
            .iter()
            .map(|(name, signature, function)| JNINativeMethod {
                name: name.as_ptr(),
                signature: signature.as_ptr(),
                fnPtr: *function,
            })
            .collect();
        // SAFETY: valid environment and class; names live through the call.
        let status =
            unsafe { (self.table().RegisterNatives)(self.0, class, methods.as_ptr(), methods.len() as jint) };
        !self.clear_exception() && status == 0
    }

    pub fn static_method(&self, class: jclass, name: &CStr, descriptor: &CStr) -> Option<jmethodID> {
        // SAFETY: valid environment and class. Initialises the class.
        let id =
            unsafe { (self.table().GetStaticMethodID)(self.0, class, name.as_ptr(), descriptor.as_ptr()) };
        (!self.clear_exception() && !id.is_null()).then_some(id)
    }

    /// Calls a method with one parameter, a reference, or none.
    pub fn call_static_void(&self, class: jclass, method: jmethodID, argument: jobject) {
        let arguments = [jvalue { l: argument }];
        // SAFETY: valid class and method; one that takes no parameter does not look at the argument.
        unsafe { (self.table().CallStaticVoidMethodA)(self.0, class, method, arguments.as_ptr()) };
        self.clear_exception();
    }

    pub fn call_static_int(&self, class: jclass, method: jmethodID, argument: jobject) -> jint {
        let arguments = [jvalue { l: argument }];
        // SAFETY: valid class and method with one reference parameter.
        let result =
            unsafe { (self.table().CallStaticIntMethodA)(self.0, class, method, arguments.as_ptr()) };
        if self.clear_exception() { 0 } else { result }
    }

    pub fn method(&self, class: jclass, name: &CStr, descriptor: &CStr) -> Option<jmethodID> {
        // SAFETY: valid environment, class and names.
        let id = unsafe { (self.table().GetMethodID)(self.0, class, name.as_ptr(), descriptor.as_ptr()) };
        (!self.clear_exception() && !id.is_null()).then_some(id)
    }

    /// Calls a method without parameters that gives an object; none on null or any exception.
    pub fn call(&self, object: jobject, method: jmethodID) -> Option<jobject> {
        // SAFETY: valid environment; object is an instance of the method's class.
        let result = unsafe { (self.table().CallObjectMethodA)(self.0, object, method, ptr::null()) };
        (!self.clear_exception() && !result.is_null()).then_some(result)
    }

    /// A field of type long.
    pub fn long_field(&self, object: jobject, name: &CStr) -> Option<i64> {
        // SAFETY: valid environment, object and name.
        unsafe {
            let class = (self.table().GetObjectClass)(self.0, object);
            let id = (self.table().GetFieldID)(self.0, class, name.as_ptr(), c"J".as_ptr());
            if self.clear_exception() || id.is_null() {
                return None;
            }
            Some((self.table().GetLongField)(self.0, object, id))
        }
    }

    /// A function that makes the VM draw one identity hash code on this thread.
    pub fn identity_hash(&self) -> Option<impl FnOnce()> {
        let object = self.find(c"java/lang/Object")?;
        let system = self.find(c"java/lang/System")?;
        let hash = self.static_method(system, c"identityHashCode", c"(Ljava/lang/Object;)I")?;
        // SAFETY: valid environment and class.
        let fresh = unsafe { (self.table().AllocObject)(self.0, object) };
        if self.clear_exception() || fresh.is_null() {
            return None;
        }
        let jni = *self;
        Some(move || {
            jni.call_static_int(system, hash, fresh);
        })
    }

    pub fn super_class(&self, class: jclass) -> Option<jclass> {
        // SAFETY: valid environment and class.
        let result = unsafe { (self.table().GetSuperclass)(self.0, class) };
        (!result.is_null()).then_some(result)
    }

    /// A new Java string of ASCII text; null when there is no memory.
    pub fn new_string(&self, text: &str) -> jobject {
        let text = CString::new(text).unwrap_or_default();
        // SAFETY: valid environment and string.
        unsafe { (self.table().NewStringUTF)(self.0, text.as_ptr()) }
    }

    /// A Java string in modified UTF-8.
    pub fn text(&self, string: jobject) -> Vec<u8> {
        if string.is_null() {
            return Vec::new();
        }
        // SAFETY: valid environment and string; the buffer has room for all bytes and the terminator that the
        // VM adds.
        unsafe {
            let bytes = (self.table().GetStringUTFLength)(self.0, string).max(0) as usize;
            let chars = (self.table().GetStringLength)(self.0, string);
            let mut buffer = vec![0u8; bytes + 1];
            (self.table().GetStringUTFRegion)(self.0, string, 0, chars, buffer.as_mut_ptr().cast());
            buffer.truncate(bytes);
            buffer
        }
    }

    /// The first `length` bytes of a byte array.
    pub fn bytes(&self, array: jobject, length: usize) -> Vec<u8> {
        let mut buffer = vec![0u8; length];
        // SAFETY: valid environment and array; a range outside of it raises an exception, which is cleared.
        unsafe {
            (self.table().GetByteArrayRegion)(self.0, array, 0, length as jint, buffer.as_mut_ptr().cast())
        };
        self.clear_exception();
        buffer
    }
}
